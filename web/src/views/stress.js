// Load: where it breaks, what limits it, what to do.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { format, shortId, when } from "../lib/format.js";
import { linear } from "../lib/scale.js";
import { link } from "../lib/url.js";
import { BlockLine, Ends, LatencyByLoad, Throughput, breakEnds } from "../charts/load.js";
import { Answer, Sentence } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { N, Name, T } from "../parts/number.js";
import { Pick } from "../parts/pick.js";
import { isStress } from "../parts/runlist.js";
import { Empty, Failed, Loading } from "../parts/state.js";
import { numberColumn, textColumn } from "../parts/table.js";
import { Verdict } from "../parts/verdict.js";
import { Scale, Whisker } from "../parts/whisker.js";

const OUTCOME = { held: ["better", "holds"], broke: ["worse", "breaks"], not_applicable: ["none", "does not apply"], spoiled: ["undecided", "undecided"] };
const words = (name) => (name[0].toUpperCase() + name.slice(1)).replaceAll("_", " ");

export function Stress({ params }) {
  const runs = useGet(address("/benchmarks/runs", { limit: 200 }));
  const asked = useGet(address("/benchmarks/stress", { run: params.run }));
  const id = asked.data?.run_id;
  const tests = (runs.data?.runs ?? []).filter((r) => r.id === id || isStress(r));
  const report = useGet(id ? address(`/benchmarks/runs/${encodeURIComponent(asked.data.run_id)}`) : null);
  if (asked.error) return html`<${Failed} error=${asked.error} again=${asked.again} />`;
  if (!asked.data || !runs.data) return html`<${Loading} />`;
  if (!id) return html`<${Empty} title="No stress results yet. This loads a server until it breaks:" command=${"assay stub --servers 4 --service-ms 10 &\nassay stress --url http://127.0.0.1:8400/v1/models --scenario all --quick"} />`;
  const first = report.data?.cells[0];
  const bar = html`<span>Stress test of <code data-name="">${first?.parameters.url ?? first?.label ?? ""}</code></span><${Pick} label="Run" hidden param="run" value=${id} options=${tests.map((r) => [r.id, `${when(r.started)}, ${shortId(r.id)}`])} /><span><${T} of=${asked.data} k="generator" /></span><a href=${link("run", { id })}>the run</a>`;
  return html`<${Shown} data=${asked.data} report=${report.data} bar=${bar} />`;
}

/** Cells of the run by the id of their execution: what each phase measured. */
function phasesOf(result, report) {
  if (!report) return [];
  return result.executions.map((id) => report.cells.find((c) => c.id === id)).filter(Boolean).map((cell) => ({
    cell,
    rate: cell.parameters.rate,
    connections: cell.parameters.connections,
    metrics: Object.fromEntries(cell.metrics.map((m) => [m.name, m])),
  }));
}

function Shown({ data, report, bar }) {
  const results = data.results.map((r) => r.result);
  const whole = data.results[0];
  const high = results.find((r) => r.name === "high_load");
  const many = results.find((r) => r.name === "concurrent_requests");
  const point = high?.breaking_point?.breaks ? high.breaking_point : null;
  const weakest = [...results].filter((r) => r.score < 1 && r.score !== null).sort((a, b) => a.score - b.score)[0];
  return html`
    <${Answer} where=${bar} three=${[
      point && ["Where it breaks", html`at <${N} of=${point} k="load" f="sig" /> <${Ends} as="span" ends=${breakEnds(point)} /> requests per second`, html`held <${N} of=${point} k="holds" f="1/s" />, not <${N} of=${point} k="breaks" f="1/s" />`],
      ["What limits it", many?.usl ? html`Contention: <${N} of=${many.usl} k="sigma" f="pct" />${many.usl_interval && html` <${Limits} of=${many.usl_interval.sigma} f="pct" />`} of the work waits in line` : "The law of scaling was not fitted.", many?.usl?.peak_load && html`most it can give: <${N} of=${many.usl} k="peak_throughput" f="1/s" /> at <${N} of=${many.usl} k="peak_load" f="sig" /> in flight`],
      !point && weakest && ["Weakest", html`<${Verdict} kind=${OUTCOME[weakest.outcome][0]}>${words(weakest.name)}<//> scores <${N} of=${weakest} k="score" f="score2" />`, weakest.sentence && html`<${T} of=${weakest} k="sentence" />`],
      ["Do next", data.next ? html`<${T} of=${data} k="next" />` : "Nothing: what was tried was held.", results.filter((r) => r.recommendation).slice(1).map((r) => html`<span class="block">${words(r.name)}: <${T} of=${r} k="recommendation" /></span>`)],
    ]}>
      <${Sentence} of=${data} />
    <//>
    <div class="cols two stretch">
      ${(high || many) && html`<${Latency} result=${high && loads(high, report) > 1 ? high : (many ?? high)} objective=${objectiveOf(results)} report=${report} />`}
      ${many && html`<${Law} result=${many} report=${report} />`}
    </div>
    <section class="group"><h2>Scenarios <small>95 % of response times of each block; shaded: beyond the breaking point; n: blocks</small></h2>
      <div class="cols four stretch">${results.map((r) => html`<${Scenario} result=${r} report=${report} />`)}</div></section>
    <div class="cols wide-l">
      <${Resilience} results=${results} whole=${whole} />
      <${Card} title="How sure"><div class="words">
        <p><b>Times count from when a request was due</b>, not from when it could be sent: a stalled server does not look fast.</p>
        ${point && html`<p><b>Breaking point:</b> <${N} of=${point} k="holds" f="1/s" /> was held, <${N} of=${point} k="breaks" f="1/s" /> was not. Either may be judged wrongly, so its interval goes one step further on both sides.</p>`}
        <p><b>The generator judges itself:</b> a scenario that it could not load is undecided and has no score.</p>
      </div><//>
    </div>`;
}

/** How many different rates were tried: one says nothing about load. */
const loads = (result, report) => new Set(phasesOf(result, report).map((p) => p.rate)).size;

const levelTable = (levels, key) => ({
  rows: levels,
  columns: [
    { name: key, num: true, get: (l) => l.load, show: (l) => html`<${N} of=${l.cell.parameters} k=${key} f="sig" />` },
    ...["response_p50_s", "response_p95_s", "response_p99_s", "rate", "error_share"].flatMap((m) => [
      numberColumn(m, "median", m.endsWith("_s") ? "s" : "sig", (l) => l.metrics[m]),
      numberColumn(`${m} low`, "median_low", m.endsWith("_s") ? "s" : "sig", (l) => l.metrics[m]),
      numberColumn(`${m} high`, "median_high", m.endsWith("_s") ? "s" : "sig", (l) => l.metrics[m]),
    ]),
  ],
});

/** What 95 % of response times are held against, where a scenario says it. */
const objectiveOf = (results) => results.map((r) => r.evidence).find((e) => e?.unit === "s" && e.rule?.endsWith("_objective"))?.threshold ?? null;

function Latency({ result, objective, report }) {
  const key = result.name === "high_load" ? "rate" : "connections";
  const levels = phasesOf(result, report).filter((p) => p[key] > 0).map((p) => ({ ...p, load: p[key] })).sort((a, b) => a.load - b.load);
  if (!levels.length) return null;
  return html`<${Card} title="Latency by load" sub="bands: 95 % interval over blocks, from six on" drawn table=${levelTable(levels, key)}>
    <${LatencyByLoad} levels=${levels} lines=${[["response_p50_s", "p50"], ["response_p95_s", "p95"], ["response_p99_s", "p99"]]} breaking=${result.breaking_point?.load ? result.breaking_point : null} objective=${objective} loadName=${key === "rate" ? "requests due per second" : "requests in flight"}
      label=${`Response times by load over ${levels.length} levels${result.breaking_point?.breaks ? `; it breaks between ${format(breakEnds(result.breaking_point).low, "1/s")} and ${format(breakEnds(result.breaking_point).high, "1/s")}` : ""}`} />
    <p class="cap">n = <${N} v=${levels.length} how="count" f="int" /> phases at <${N} v=${new Set(levels.map((l) => l.load)).size} how="count" f="int" /> loads; lines go through the middle of each load. ${result.sentence && html`<${T} of=${result} k="sentence" />`}</p>
  <//>`;
}

function Law({ result, report }) {
  const levels = phasesOf(result, report).filter((p) => p.connections > 0).map((p) => ({ ...p, load: p.connections })).sort((a, b) => a.load - b.load);
  if (!levels.length) return null;
  return html`<${Card} title="Throughput and its limit" sub=${result.usl ? "bars: range of the blocks; line: law of scaling (USL); dashed: if nothing were shared" : "bars: range of the blocks"} drawn table=${levelTable(levels, "connections")}>
    <${Throughput} levels=${levels} usl=${result.usl} label=${`Good answers per second by requests in flight, ${levels.length} levels`} />
    <p class="cap">n = <${N} v=${levels.length} how="count" f="int" /> levels. ${result.usl && result.usl_interval && html`Waits in line: <${N} of=${result.usl} k="sigma" f="pct" /> <${Limits} of=${result.usl_interval.sigma} f="pct" /> of the work; price of agreeing: <${N} of=${result.usl} k="kappa" f="sig" /> <${Limits} of=${result.usl_interval.kappa} f="sig" />. `}${result.sentence && html`<${T} of=${result} k="sentence" />`}</p>
  <//>`;
}

/** An interval that is a list of two. */
const Limits = ({ of, f }) => (of?.[0] === null || !of ? html`<span class="faint">no interval</span>` : html`<span class="nowrap">[<${N} of=${of} k=${0} f=${f} bare />, <${N} of=${of} k=${1} f=${f} bare />]</span>`);

function Scenario({ result, report }) {
  const [kind, word] = OUTCOME[result.outcome];
  const phases = phasesOf(result, report);
  const values = phases.flatMap((p) => p.metrics.response_p95_s?.samples ?? []);
  return html`<section class="card mult"><h3><span>${words(result.name)}</span><${Verdict} kind=${kind}>${word}<//></h3>
    <p>${result.sentence ? html`<${T} of=${result} k="sentence" />` : html`<${T} of=${result} k="description" />`}</p>
    ${values.some((v) => v > 0) && html`<${BlockLine} values=${values} label=${`${words(result.name)}: 95 % of response times over ${values.length} blocks`} />
      <p class="micro faint">n = <${N} v=${values.length} how="count" f="int" /> blocks</p>`}</section>`;
}

function Resilience({ results, whole }) {
  const at = linear([0, 1], [0, 100]);
  const rows = [...results].sort((a, b) => (a.score ?? 2) - (b.score ?? 2));
  const table = { rows, columns: [textColumn("scenario", (r) => words(r.name)), textColumn("outcome", (r) => r.outcome), numberColumn("score", "score", "score2"), textColumn("why", (r) => r.sentence)] };
  return html`<${Card} title=${html`Resilience ${whole.resilience_score === null ? "not known" : html`<${N} of=${whole} k="resilience_score" f="score2" />`}`} file="resilience" sub="mean of the scenarios that were decided; each was tried once, so there is no interval" flush table=${table}>
    <table><caption class="sr">Scores of the scenarios, lowest first</caption><thead><tr><th>scenario</th><th><${Scale} at=${at} marks=${[[0, "0"], [0.5, "0.5"], [1, "1"]]} /></th><th class="num">score</th></tr></thead>
    <tbody>${rows.map((r) => html`<tr><td class="whole-words">${words(r.name)}</td><td class="wide-wk">${r.score !== null ? html`<${Whisker} value=${r.score} at=${at} kind=${r.broke ? "worse" : ""} f="score2" />` : html`<span class="faint small">${OUTCOME[r.outcome][1]}</span>`}</td><td class="num">${r.score === null ? "–" : html`<${N} of=${r} k="score" f="score2" />`}</td></tr>`)}</tbody></table>
  <//>`;
}
