// Any two runs, or any set of agents.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { metricName, shortId, when } from "../lib/format.js";
import { readable, readableLabel, selectorOf, selectorsOf } from "../lib/agents.js";
import { asked } from "../lib/suite.js";
import { linear } from "../lib/scale.js";
import { link, setParams } from "../lib/url.js";
import { Answer, Sentence } from "../parts/answer.js";
import { Board, boardTable } from "../parts/board.js";
import { Card } from "../parts/card.js";
import { Count, Interval, N, Name, T } from "../parts/number.js";
import { Chips, Pick } from "../parts/pick.js";
import { Profile } from "../parts/profile.js";
import { runName } from "../parts/runlist.js";
import { Empty, Failed, Loading, whenThere } from "../parts/state.js";
import { numberColumn, textColumn } from "../parts/table.js";
import { Verdict } from "../parts/verdict.js";
import { Scale, Whisker } from "../parts/whisker.js";

export function Compare({ params }) {
  return params.agents ? html`<${OfAgents} params=${params} />` : html`<${OfRuns} params=${params} />`;
}

const title = (run) => `${runName(run)} ${shortId(run.id)}, ${when(run.started)}`;

/** Of one spec; one-liners by their commands. */
const isOfSpec = (x, y) => x.spec_path === y.spec_path && (x.spec_path !== "(command line)" || x.subject === y.subject);

function OfRuns({ params }) {
  const runs = useGet(address("/benchmarks/runs", { limit: 100 }));
  return whenThere([runs], (data) => {
    if (data.runs.length < 2) return html`<${Empty} title="Comparing needs two runs:" command=${"assay run specs/demo.yaml --stub\nassay run specs/demo.yaml --stub"} />`;
    const isPaired = (r) => r.status === "success" && data.runs.some((x) => x !== r && isOfSpec(x, r));
    const b = params.b ?? (data.runs.find(isPaired) ?? data.runs[0]).id;
    const whole = data.runs.find((r) => r.id === b);
    const a = params.a ?? (data.runs.find((r) => r.id !== b && whole && isOfSpec(r, whole)) ?? data.runs.find((r) => r.id !== b)).id;
    return html`<${Two} a=${a} b=${b} runs=${data.runs} params=${params} />`;
  });
}

function Two({ a, b, runs, params }) {
  const asked = useGet(address(`/benchmarks/runs/${encodeURIComponent(a)}/compare`, { with: b }));
  const options = runs.map((r) => [r.id, title(r)]);
  const bar = html` <${Pick} label="Is B," param="b" value=${b} options=${options} /><${Pick} label="better than A," param="a" value=${a} options=${options} />
    <button class="link" onClick=${() => setParams({ a: b, b: a })}>swap</button><a href=${link("compare", { agents: "all" })}>compare agents</a>`;
  if (asked.error) return html`<${Answer} where=${bar}><h1>These two runs cannot be compared</h1><//><${Failed} error=${asked.error} again=${asked.again} />`;
  if (!asked.data) return html`<${Answer} where=${bar} /><${Loading} />`;
  const data = asked.data;
  const count = (v) => data.rows.filter((r) => r.verdict === v).length;
  const primary = data.wholes.find((w) => w.primary) ?? data.wholes[0];
  return html`
    <${Answer} where=${bar} three=${[
      ["Verdicts", html`${["worse", "better", "equivalent", "undecided"].map((v) => count(v) > 0 && html`<${Verdict} kind=${v}><${N} v=${count(v)} how="count" f="int" /> ${v}<//>`)}`, html`<${N} of=${data} k="comparisons" f="int" /> comparisons: <${Count} of=${data} list="rows" /> of metrics, <${Count} of=${data} list="cells" /> of how often each succeeds; adjusted by <${T} of=${data} k="adjust" />`],
      primary?.next && ["Would settle it", html`<${T} of=${primary} k="next" />`],
      data.notes.length > 0 && ["Keep in mind", html`<${T} of=${data.notes} k=${0} />`],
    ]}>${primary || data.rows[0] ? html`<${Sentence} of=${primary ?? data.rows[0]} subject=${metricName((primary ?? data.rows[0]).metric)} />` : html`<h1>The two have no metric in common</h1>`}<//>
    <${Rows} data=${data} params=${params} />`;
}

/** Shares differ by points: their ratio says nothing of who is right more often. */
const ratioOf = (row) => (row.kind !== "share" && row.effect.ratio !== null && row.effect.ratio !== undefined ? { value: Math.log(row.effect.ratio), low: logOf(row.effect.low), high: logOf(row.effect.high) } : null);
const logOf = (v) => (v > 0 ? Math.log(v) : null);

const pointsOf = (r) => html`<${N} of=${r.effect} k="shift" f="points" /> <${Interval} of=${r.effect} low="shift_low" high="shift_high" f="points" /> points`;
const shiftOf = (r) => html`<${N} of=${r.effect} k="shift" f="signed" /> <${Interval} of=${r.effect} low="shift_low" high="shift_high" f="signed" />`;
const effectOf = (r, isDrawn) => (r.kind === "share" ? pointsOf(r) : isDrawn ? html`<${N} of=${r.effect} k="ratio" f="ratio" /> <${Interval} of=${r.effect} f="sig" />` : shiftOf(r));

function Rows({ data, params }) {
  const verdicts = ["worse", "better", "undecided", "equivalent"];
  const some = verdicts.filter((v) => data.rows.some((r) => r.verdict === v));
  const show = some.includes(params.show) ? params.show : params.show === "all" || !some.length ? "all" : data.rows.length > 40 ? some[0] : "all";
  const rows = data.rows.filter((r) => show === "all" || r.verdict === show);
  const drawn = rows.map(ratioOf);
  const far = Math.min(Math.log(10), Math.max(Math.log(1.1), ...drawn.flatMap((d) => (d ? [Math.abs(d.value), Math.abs(d.low ?? 0), Math.abs(d.high ?? 0)] : []))));
  const at = linear([-far, far], [0, 100]);
  const end = Number(Math.exp(far).toPrecision(2));
  const cellOf = (r) => readableLabel(data.cells[r.cell]?.label ?? "");
  const table = {
    rows: data.rows,
    columns: [textColumn("what", cellOf), textColumn("metric", (r) => r.metric), numberColumn("ratio", "ratio", "sig", (r) => r.effect), numberColumn("low", "low", "sig", (r) => r.effect), numberColumn("high", "high", "sig", (r) => r.effect), numberColumn("shift", "shift", "sig", (r) => r.effect), numberColumn("shift low", "shift_low", "sig", (r) => r.effect), numberColumn("shift high", "shift_high", "sig", (r) => r.effect), textColumn("kind", (r) => r.kind), textColumn("verdict", (r) => r.verdict), numberColumn("p adjusted", "p_adjusted", "p"), numberColumn("mde", "mde", "sig")],
  };
  return html`<${Card} title="One by one" sub="B to A with its interval; left of the dashed line: less than before" flush table=${table}
    tools=${html`<${Chips} label="Verdicts shown" param="show" value=${show} options=${[["all", "All", data.rows.length], ...verdicts.map((v) => [v, v, data.rows.filter((r) => r.verdict === v).length])]} />`}>
    <table class="fold"><caption class="sr">Comparisons of each metric</caption>
      <thead><tr><th>what</th><th>metric</th><th><${Scale} at=${at} marks=${[[-far, `÷ ${end}`], [0, "same"], [far, `× ${end}`]]} /></th><th class="num">ratio, or shift</th><th>verdict</th><th class="num">n, p</th></tr></thead>
      <tbody>${rows.slice(0, 200).map((r, i) => html`<tr>
        <td><b><${Name}>${cellOf(r)}<//></b></td><td data-l="metric"><${Name}>${metricName(r.metric)}<//></td>
        <td class="full wide-wk">${drawn[i] && html`<${Whisker} ...${drawn[i]} at=${at} zero=${0} kind=${r.verdict} verdictName=${r.verdict} />`}</td>
        <td class="num" data-l="ratio, or shift">${effectOf(r, Boolean(drawn[i]))}</td>
        <td data-l="verdict"><${Verdict} kind=${r.verdict} title=${r.sentence} /></td>
        <td class="num small" data-l="n, p"><${N} of=${r.n} k=${0} f="int" /> and <${N} of=${r.n} k=${1} f="int" />, <${N} of=${r} k="p_adjusted" f="p" /></td>
      </tr>`)}</tbody></table>
    ${rows.length > 200 && html`<div class="note">The first 200 are shown; CSV has all.</div>`}
    ${rows.length === 0 && html`<div class="empty">No comparison is like that.</div>`}
  <//>`;
}

function OfAgents({ params }) {
  const answer = useGet(address("/benchmarks/leaderboard", { since: params.since ?? "30d", suite: asked(params.suite), limit: 0 }));
  return whenThere([answer], (board) => {
    const names = selectorsOf(board.rows);
    const wanted = params.agents === "all" ? names.slice(0, 4) : params.agents.split(",");
    const rows = board.rows.filter((r) => wanted.includes(selectorOf(r)) || wanted.includes(r.agent_name));
    const toggle = (name) => setParams({ agents: (wanted.includes(name) ? wanted.filter((n) => n !== name) : [...wanted, name]).join(",") || "all" }, { replace: true });
    const agents = selectorsOf(rows);
    return html`
      <${Answer} where=${html`<span>Agents compared</span><span class="chips">${names.map((n) => html`<button class="chip" aria-pressed=${wanted.includes(n) ? "true" : "false"} onClick=${() => toggle(n)}><${Name}>${readable(n)}<//></button>`)}</span><a href=${link("compare")}>compare runs</a>`}>
        <h1>${rows[0] ? html`<${T} of=${rows[0]} k="sentence" />` : "None of these agents is ranked"}</h1>
      <//>
      ${rows.length > 0 && html`
        <${Card} title="Ranks" sub="score 0 to 1 with 95 % interval; bracket: order of neighbours not decided" flush table=${boardTable(rows)}><${Board} rows=${rows} metric="overall" /><//>
        <${Profile} rows=${rows.slice(0, 6)} params=${params} fixed />
        <${Card} title="Pair by pair"><ul class="plainlist">${agents.flatMap((a, i) => agents.slice(i + 1).map((b) => html`<li><a href=${link("versus", { a, b, suite: params.suite })}><${Name}>${readable(a)}<//> against <${Name}>${readable(b)}<//></a></li>`))}</ul><//>`}`;
  });
}
