// One case in full: what was asked, what was expected, each answer with its checks and
// attempts, and the command that asks it again (assay.cases/1).
import { html } from "../lib/html.js";
import { asText, shownAttempt } from "../lib/grid.js";
import { N, Name } from "./number.js";
import { Mark } from "./verdict.js";

/** The answer with the part that differs marked, from the first different character on. */
export function Differs({ text, expected }) {
  const answer = asText(text).trim();
  const wanted = asText(expected).trim();
  let same = 0;
  while (same < answer.length && same < wanted.length && answer[same] === wanted[same]) same++;
  if (!wanted || same === 0 || same === answer.length) return answer;
  return html`${answer.slice(0, same)}<mark>${answer.slice(same)}</mark>`;
}

const Checks = ({ checks }) =>
  html`<ul class="checks">${checks.map((c) => html`<li><${Mark} ok=${c.score >= 1} /><span><b><${Name}>${c.check}<//></b> <span class="muted" data-name="">${c.why}</span>${c.score > 0 && c.score < 1 && html` <${N} of=${c} k="score" f="score" />`}</span></li>`)}</ul>`;

export const Turn = ({ who, under, children }) => html`<div class="turn"><div class="who"><b><${Name}>${who}<//></b>${under}</div><div>${children}</div></div>`;

/** A failure is not a latency: it has its status in place of a time. */
const Attempts = ({ answer }) =>
  html`<p class="small muted">attempts ${answer.attempts.map((t) => html`<span class="nowrap"><${Mark} ok=${t.passed} /> ${t.status === "ok" && t.duration_s !== null ? html`<${N} of=${t} k="duration_s" f="s" />` : html`<span data-name="">${t.status.replaceAll("_", " ")}</span>`} </span>`)}</p>`;

export function AgentTurn({ answer, expected }) {
  const shown = shownAttempt(answer);
  const text = asText(shown.output).trim();
  return html`<${Turn} who=${answer.agent} under=${html`<span class="faint"><${N} of=${answer} k="passed" f="int" /> of <${N} of=${answer} k="attempted" f="int" /></span>`}>
    <pre class=${shown.passed === false || shown.status !== "ok" ? "bad" : ""} data-name="">${shown.status !== "ok" ? (shown.error ?? shown.status) : !text ? html`<i>empty answer</i>` : shown.passed ? text : html`<${Differs} text=${text} expected=${expected} />`}</pre>
    <${Checks} checks=${shown.checks} />
    <${Attempts} answer=${answer} />
  <//>`;
}

/** `answers`: those shown in full; `others`: in a line each. */
export function Transcript({ one, answers, others = [] }) {
  return html`<div class="transcript">
    <${Turn} who="input"><pre data-name="">${asText(one.input)}</pre><//>
    ${one.expected !== null && html`<${Turn} who="expected"><pre data-name="">${asText(one.expected)}</pre><//>`}
    ${answers.map((x) => html`<${AgentTurn} answer=${x} expected=${one.expected} />`)}
    ${others.length > 0 && html`<${Turn} who="others">${others.map((x) => html`<span class="other-one"><${Mark} ok=${x.right} /><${Name}>${x.agent}<//> <code data-name="">${asText(shownAttempt(x).output).trim().slice(0, 60)}</code></span> `)}<//>`}
    ${one.again && html`<${Turn} who="ask again"><pre data-name="">${one.again}</pre><//>`}
  </div>`;
}
