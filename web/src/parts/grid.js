// Cases x agents: the answers side by side, the two compared agents first. Failing cells of
// these two are filled; what differs from the expected answer is marked.
import { html } from "../lib/html.js";
import { address, useGets } from "../lib/api.js";
import { asText, gridOf, isUnstable, isWrong, shownAttempt } from "../lib/grid.js";
import { useKeys } from "../lib/keys.js";
import { useOpenAt } from "../lib/scroll.js";
import { setParams } from "../lib/url.js";
import { Card } from "./card.js";
import { N, Name } from "./number.js";
import { Chips } from "./pick.js";
import { Failed, Loading } from "./state.js";
import { Differs, Transcript } from "./transcript.js";
import { Mark, Simulated } from "./verdict.js";

const short = (value) => {
  const line = asText(value).trim();
  return line.length > 90 ? `${line.slice(0, 90)}…` : line;
};

/** The answers that were compared: each benchmark's from the runs that were. */
export function CaseGrid({ versus, a, b, params }) {
  const runs = [...new Set(versus.benchmarks.flatMap((x) => (x.run_a && x.run_b ? [x.run_a, x.run_b] : [])))];
  const asked = useGets(runs.map((run) => address(`/benchmarks/runs/${encodeURIComponent(run)}/cases`)));
  if (asked.error) return html`<${Failed} error=${asked.error} again=${asked.again} />`;
  if (asked.loading) return html`<${Loading} />`;
  const grid = gridOf(versus.benchmarks, new Map(runs.map((run, i) => [run, asked.data[i]])), a, b);
  if (!grid.rows.length) {
    return html`<${Card} title="Cases × agents"><p class="cap">The answers of these two are in different runs. <code data-name="">assay run SUITE --agent ${a.split("@")[0]} --agent ${b.split("@")[0]}</code> asks both at once.</p><//>`;
  }
  return html`<${Grid} grid=${grid} params=${params} />`;
}

const times = (row) => (row.a?.median_s > 0 && row.b?.median_s > 0 ? Math.max(row.a.median_s / row.b.median_s, row.b.median_s / row.a.median_s) : 1);
const FILTERS = {
  all: ["All", () => true],
  flipped: ["Flipped", (row) => isWrong(row.a) ? row.b?.right : isWrong(row.b) && row.a?.right],
  failed: ["Failed by either", (row) => isWrong(row.a) || isWrong(row.b)],
  unstable: ["Unstable over attempts", (row) => isUnstable(row.a) || isUnstable(row.b)],
  slow: ["Slow, over 2 ×", (row) => times(row) > 2],
};

function Grid({ grid, params }) {
  const filter = FILTERS[params.show] ? params.show : grid.rows.some(FILTERS.flipped[1]) ? "flipped" : "all";
  const shown = grid.rows.filter(FILTERS[filter][1]);
  const open = grid.rows.find((r) => r.id === params.case);
  const go = (step) => {
    const next = shown[Math.min(shown.length - 1, Math.max(0, shown.indexOf(open) + step))];
    if (next) setParams({ case: next.id }, { replace: true });
  };
  useKeys({ j: () => go(1), k: () => go(-1), Escape: () => (open ? setParams({ case: "" }, { replace: true }) : false) });
  useOpenAt(".opened", params.case, Boolean(open));
  return html`
    <${Card} title="Cases × agents" sub="one attempt of each; ✗ failed its check, the part that differs underlined; – could not be judged" table=${csvOf(grid)} flush
      tools=${html`<button class="link" onClick=${() => navigator.clipboard?.writeText(location.href)}>Copy link</button>`}>
      <div class="pad"><${Chips} label="Cases shown" param="show" value=${filter} options=${Object.entries(FILTERS).map(([k, [word, test]]) => [k, word, grid.rows.filter(test).length])} /></div>
      <div class="scroll" tabindex="0" role="group" aria-label="Cases and agents">
        <table class="grid"><caption class="sr">Answers of each agent to each case</caption>
          <thead><tr><th class="stickycol">case, input</th><th class="hide-s">expected</th>${grid.agents.map((name, i) => html`<th class=${i < 2 ? "keycol" : ""}><${Name} class="cut" title=${name}>${name}<//>${isStandIn(grid, name) && html` <${Simulated} />`}</th>`)}</tr></thead>
          <tbody>${shown.map((row, i) => html`${row.benchmark !== shown[i - 1]?.benchmark && html`<${Head} row=${row} shown=${shown} grid=${grid} />`}
            <tr aria-selected=${row === open ? "true" : undefined}>
              <td class="stickycol"><button class="link agent" aria-expanded=${row === open ? "true" : "false"} onClick=${() => setParams({ case: row === open ? "" : row.id }, { replace: true })}><${Name}>${row.one.case}<//></button><code class="in" data-name="">${short(row.one.input)}</code></td>
              <td class="hide-s"><code data-name="">${short(row.one.expected)}</code></td>
              ${grid.agents.map((name, k) => html`<${AnswerCell} answer=${row.by.get(name)} expected=${row.one.expected} other=${k >= 2} />`)}
            </tr>`)}
            ${shown.length === 0 && html`<tr><td colspan=${grid.agents.length + 2} class="faint">No case is like that.</td></tr>`}
          </tbody></table>
      </div>
    <//>
    ${open && html`<${Opened} row=${open} grid=${grid} shown=${shown} go=${go} />`}`;
}

const isStandIn = (grid, name) => grid.rows.some((row) => row.by.get(name)?.left_out === "simulated");

function Head({ row, shown, grid }) {
  const count = (rows) => rows.filter((r) => r.benchmark === row.benchmark).length;
  return html`<tr class="head"><td colspan=${grid.agents.length + 2}><span class="stay"><b><${Name}>${row.benchmark}<//></b> <${N} v=${count(shown)} how="count" f="int" /> of <${N} v=${count(grid.rows)} how="count" f="int" /> cases shown</span></td></tr>`;
}

function AnswerCell({ answer, expected, other }) {
  if (!answer) return html`<td class="ans"><span class="faint">not asked</span></td>`;
  const t = shownAttempt(answer);
  const text = short(t.output);
  const said = t.status !== "ok" ? html`<i>no answer</i>` : text ? (isWrong(answer) ? html`<${Differs} text=${text} expected=${expected} />` : text) : html`<i>empty answer</i>`;
  const failed = t.checks.find((c) => c.score < 1);
  const under = answer.right
    ? answer.median_s !== null && html`<${N} of=${answer} k="median_s" f="s" />`
    : html`<span data-name="">${t.status !== "ok" ? short(t.error ?? t.status) : failed ? `failed ${failed.check}` : isWrong(answer) ? "failed" : "not judged"}</span>`;
  return html`<td class="ans ${isWrong(answer) ? "fail" : "pass"} ${other ? "other" : ""}"><span class="a"><${Mark} ok=${answer.right} /><span data-name="">${said}</span></span><span class="w">${under}</span></td>`;
}

function Opened({ row, grid, shown, go }) {
  const rest = grid.agents.slice(2).map((name) => row.by.get(name)).filter(Boolean);
  return html`<${Card} class="opened" title=${html`<${Name}>${row.one.case}<//>`} file=${`case-${row.one.case}`} sub=${html`<${Name}>${row.benchmark}<//>`}
    tools=${html`<button class="link" onClick=${() => go(-1)} disabled=${shown.indexOf(row) <= 0}>← previous</button><button class="link" onClick=${() => go(1)}>next →</button>`}>
    <${Transcript} one=${row.one} answers=${[row.a, row.b].filter(Boolean)} others=${rest} />
  <//>`;
}

function csvOf(grid) {
  const of = (name, get) => (row) => (row.by.has(name) ? get(row.by.get(name)) : null);
  return {
    rows: grid.rows,
    columns: [
      { name: "benchmark", get: (r) => r.benchmark },
      { name: "case", get: (r) => r.one.case },
      { name: "input", get: (r) => asText(r.one.input) },
      { name: "expected", get: (r) => asText(r.one.expected) },
      ...grid.agents.flatMap((name) => [
        { name: `${name} passed`, get: of(name, (x) => x.passed) },
        { name: `${name} attempted`, get: of(name, (x) => x.attempted) },
        { name: `${name} answer`, get: of(name, (x) => asText(shownAttempt(x).output)) },
        { name: `${name} median_s`, get: of(name, (x) => x.median_s) },
      ]),
    ],
  };
}
