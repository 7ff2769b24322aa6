// The cases of one agent in one run: input, answer, checks, and each attempt.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { asText, isUnstable, isWrong, shownAttempt } from "../lib/grid.js";
import { cellName } from "../lib/report.js";
import { extent, linear } from "../lib/scale.js";
import { useKeys } from "../lib/keys.js";
import { useOpenAt } from "../lib/scroll.js";
import { setParams } from "../lib/url.js";
import { Card } from "./card.js";
import { N, Name } from "./number.js";
import { Chips, Pick } from "./pick.js";
import { Failed, Loading } from "./state.js";
import { Transcript } from "./transcript.js";
import { Mark } from "./verdict.js";

const FILTERS = {
  all: () => true,
  failed: ({ answer }) => isWrong(answer),
  unstable: ({ answer }) => isUnstable(answer),
  slow: ({ answer }) => answer.slow,
};

const line = (value) => {
  const text = asText(value).trim();
  return text.length > 110 ? `${text.slice(0, 110)}…` : text;
};

/** Each attempt as a dot, the median as a tick: 0 to the slowest of the table. */
function Attempts({ answer, at }) {
  return html`<span class="wk passes" role="img" aria-label=${`${answer.attempts.length} attempts`}>
    ${answer.attempts.map((t) => t.status === "ok" && t.duration_s !== null && html`<b class="pass" style=${{ left: `${at(t.duration_s)}%` }}></b>`)}
    ${answer.median_s !== null && html`<b class="tick" style=${{ left: `${at(answer.median_s)}%` }}></b>`}
  </span>`;
}

export function CaseTable({ cells, cell, run, params }) {
  const asked = useGet(address(`/benchmarks/runs/${encodeURIComponent(run.id)}/cases`));
  const agent = cellName(cell);
  const rows = (asked.data?.cases ?? [])
    .filter((one) => one.benchmark === cell.scores.benchmark)
    .map((one) => ({ one, answer: one.answers.find((x) => x.agent === agent) ?? one.answers.find((x) => x.agent.split(" ")[0] === cell.scores.agent) }))
    .filter((row) => row.answer);
  const filter = FILTERS[params.cases] ? params.cases : "all";
  const open = rows.find((r) => r.one.case === params.case);
  const shown = rows.filter((r) => r === open || FILTERS[filter](r));
  const go = (step) => {
    const next = shown[Math.min(shown.length - 1, Math.max(0, shown.indexOf(open) + step))];
    if (next) setParams({ case: next.one.case }, { replace: true });
  };
  useKeys({ j: () => go(1), k: () => go(-1), Escape: () => (open ? setParams({ case: "" }, { replace: true }) : false) });
  useOpenAt(".cases tr[aria-selected]", params.case, Boolean(asked.data && open));
  if (asked.error) return html`<${Failed} error=${asked.error} again=${asked.again} />`;
  if (!asked.data) return html`<${Loading} />`;
  const most = extent(rows.flatMap((r) => r.answer.attempts.map((t) => t.duration_s)))?.[1] ?? 1;
  const at = linear([0, most], [0, 100]);
  return html`<${Card} title=${html`Cases of <${Name}>${agent}<//>`} file="cases" flush table=${csvOf(rows)}
    sub=${html`<${N} v=${rows.filter((r) => r.answer.right).length} how="count" f="int" /> of <${N} v=${rows.length} how="count" f="int" /> right in every attempt; dots: attempts, tick: median, 0 to <${N} v=${most} how="slowest attempt" f="s" />`}
    tools=${html`<${Pick} label="Agent" param="agent" value=${agent} options=${cells.map(cellName)} />
      <${Chips} label="Cases shown" param="cases" value=${filter} options=${Object.entries(FILTERS).map(([k, test]) => [k, k, rows.filter(test).length])} />`}>
    <table class="cases fold">
      <caption class="sr">Cases with input, answer, check and times</caption>
      <thead><tr><th>case</th><th>input</th><th>answer</th><th>check</th><th>attempts</th><th class="num">median</th></tr></thead>
      <tbody>
        ${shown.map((row) => html`<${Row} row=${row} isOpen=${row === open} at=${at} />
          ${row === open && html`<tr class="open"><td colspan="6" class="full"><${Transcript} one=${row.one} answers=${[row.answer]} others=${row.one.answers.filter((x) => x !== row.answer)} /></td></tr>`}`)}
        ${shown.length === 0 && html`<tr><td colspan="6" class="faint full">No case is ${filter}.</td></tr>`}
      </tbody>
    </table>
  <//>`;
}

function Row({ row: { one, answer }, isOpen, at }) {
  const t = shownAttempt(answer);
  const said = t.status !== "ok" ? html`<i>no answer</i>` : line(t.output) || html`<i>empty answer</i>`;
  return html`<tr aria-selected=${isOpen ? "true" : undefined}>
    <td class="nowrap"><button class="link agent" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setParams({ case: isOpen ? "" : one.case }, { replace: true })}><${Name}>${one.case}<//></button></td>
    <td class="full"><code class="muted" data-name="">${line(one.input)}</code></td>
    <td class="full"><span class="said"><${Mark} ok=${answer.right} /> <code data-name="">${said}</code></span></td>
    <td class="full small"><span data-name="">${answer.right ? "as expected" : line(answer.why ?? t.error ?? "")}</span></td>
    <td class="ps" data-l="attempts"><${Attempts} answer=${answer} at=${at} /></td>
    <td class="num" data-l="median">${answer.median_s === null ? html`<span class="faint">no time</span>` : html`<${N} of=${answer} k="median_s" f="s" />`}</td>
  </tr>`;
}

const csvOf = (rows) => ({
  rows,
  columns: [
    { name: "case", get: (r) => r.one.case },
    { name: "input", get: (r) => asText(r.one.input) },
    { name: "expected", get: (r) => asText(r.one.expected) },
    { name: "answer", get: (r) => asText(shownAttempt(r.answer).output) },
    { name: "passed", get: (r) => r.answer.passed },
    { name: "attempted", get: (r) => r.answer.attempted },
    { name: "why", get: (r) => r.answer.why },
    { name: "median_s", get: (r) => r.answer.median_s },
  ],
});
