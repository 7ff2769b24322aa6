// One run: what it shows, whether the machine was fit to show it, every trial, every case.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { kindOf, metricName, plural, shortId } from "../lib/format.js";
import { cellName, failedOf, groupsOf, isSimulated, metricOf, metricsOf, rowsOf } from "../lib/report.js";
import { link } from "../lib/url.js";
import { Distribution, distributionLabel } from "../charts/distribution.js";
import { Ecdf } from "../charts/ecdf.js";
import { Answer, Sentence } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { CaseTable } from "../parts/cases.js";
import { Drift } from "../parts/drift.js";
import { Machine, SpecText } from "../parts/machine.js";
import { N, Name, T, When } from "../parts/number.js";
import { Pick, Segments } from "../parts/pick.js";
import { PhaseCard } from "../parts/phases.js";
import { RunState } from "../parts/runlist.js";
import { ScoreTable } from "../parts/scores.js";
import { Empty, Loading, whenThere } from "../parts/state.js";
import { numberColumn, textColumn } from "../parts/table.js";
import { Verdict, Warning } from "../parts/verdict.js";

export function Run({ params }) {
  if (!params.id) return html`<${Empty} title="No run is chosen."><a href=${link("runs")}>To the list of runs</a><//>`;
  const report = useGet(address(`/benchmarks/runs/${encodeURIComponent(params.id)}`));
  const outcome = useGet(address(`/benchmarks/runs/${encodeURIComponent(params.id)}/outcome`));
  const isLoad = report.data?.cells?.[0]?.experiment === "load";
  const stress = useGet(isLoad ? address("/benchmarks/stress", { run: report.data.run.id }) : null);
  // a run without a suite may have no outcome; the sentence must not come after the rest
  if (outcome.loading && !outcome.error) return html`<${Loading} />`;
  if (report.data?.state) return html`<${NotBegun} request=${report.data} />`;
  return whenThere([report], (data) => html`<${Shown} report=${data} outcome=${outcome.data} stress=${stress.data} params=${params} />`);
}

/** Asked for by the API, and there is no run yet, or never one. */
function NotBegun({ request }) {
  return html`<${Answer} where=${html`<span>Run <code data-name="">${shortId(request.run_id)}</code></span>`}><h1>This run has not begun: it is <${T} of=${request} k="state" /></h1><//>
    <${Empty} title="What is known of it:"><a href=${link("live", { run: request.run_id })}>watch it</a><//>`;
}

function Shown({ report, outcome, stress, params }) {
  const groups = groupsOf(report);
  if (!groups.length) {
    return html`<${Answer} where=${html`<${Where} report=${report} />`}><h1>This run has no results<span class="q">: it ended before its first trial</span></h1><//>
      <${Failures} report=${report} />
      ${!failedOf(report).length && html`<${Empty} title="What is known of it:" command=${`assay show ${report.run.id}`} />`}`;
  }
  const group = groups.find((g) => g.id === params.group) ?? groups[0];
  const metrics = metricsOf(group.cells);
  const metric = metrics.some(([m]) => m === params.metric) ? params.metric : (group.cells[0].primary_metric ?? metrics[0]?.[0]);
  const rows = rowsOf(group.cells, metric);
  const chosen = group.cells.find((c) => cellName(c) === params.agent) ?? rows.find((r) => !isSimulated(r.cell))?.cell ?? rows[0].cell;
  const kind = kindOf(rows.find((r) => r.metric)?.metric.unit);
  return html`
    <${Answer} where=${html`<${Where} report=${report} />${stress && html`<a href=${link("stress", { run: report.run.id })}>the stress test</a>`}`} three=${outcome ? threeOf(outcome) : []}>
      ${stress?.sentence ? html`<${Sentence} of=${stress} />` : outcome?.sentence ? html`<${Sentence} of=${outcome} />` : html`<h1><${Name}>${runTitle(report)}<//></h1>`}
    <//>
    ${report.run.disturbed && html`<${Warning}><${T} of=${report.run} k="notes" /><//>`}
    ${(outcome ?? report).warnings.length > 0 && html`<${Warning}>${(outcome ?? report).warnings.map((_, i) => html`${i > 0 && ". "}<${T} of=${(outcome ?? report).warnings} k=${i} />`)}<//>`}
    <${Failures} report=${report} />
    <${Card} title=${`${capital(metricName(metric))}, every trial`} file="trials" sub="dot and bar: level (median, of shares and costs the mean; over cases where there are some) with 95 % interval; of trials the box: quartiles, whiskers 5 to 95 %" drawn table=${trialTable(rows, kind)}
      tools=${html`${groups.length > 1 && (groups.length < 5
        ? html`<${Segments} label="Benchmark" param="group" value=${group.id} options=${groups.map((g) => [g.id, g.name])} />`
        : html`<${Pick} label="Benchmark" hidden param="group" value=${group.id} options=${groups.map((g) => [g.id, g.name])} />`)}
        ${metrics.length > 1 && html`<${Pick} label="Metric" hidden param="metric" value=${metric} options=${metrics} />`}`}>
      <${Distribution} rows=${rows} kind=${kind} label=${distributionLabel(rows, kind)} />
    <//>
    <div class="cols three-c stretch">
      <${Drift} cell=${chosen} metric=${metricOf(chosen, metric)} kind=${kind} />
      <${EcdfCard} rows=${rows} kind=${kind} />
      <${Drift} warmup cell=${chosen} metric=${metricOf(chosen, metric)} kind=${kind} />
    </div>
    ${chosen.scores && html`<${CaseTable} cells=${group.cells} cell=${chosen} run=${report.run} params=${params} />`}
    <${ScoreTable} cells=${group.cells} />
    <${PhaseCard} run=${report.run} cell=${chosen} />
    <div class="cols two">
      <${Machine} report=${report} />
      <${SpecText} report=${report} cell=${chosen} />
    </div>
  `;
}

/** Cells that failed, and why. */
function Failures({ report }) {
  const failed = failedOf(report);
  if (!failed.length) return null;
  return html`<${Card} title="What failed" flush>
    <ul class="rows first">${failed.map((cell) => html`<li><b><${Name}>${cellName(cell)}<//></b> <${Verdict} kind="warn">${cell.status}<//> <${T} of=${cell} k="error" class="small muted" /></li>`)}</ul>
  <//>`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function runTitle(report) {
  const failed = report.cells.filter((c) => c.status !== "success").length;
  const what = report.cells[0].scores?.suite ?? report.cells[0].experiment;
  return `Run of ${what}: ${failed ? `${failed} of ${report.cells.length} results failed or are incomplete` : "every result is there"}`;
}

function Where({ report }) {
  const run = report.run;
  const seconds = run.ended ? (new Date(run.ended) - new Date(run.started)) / 1000 : null;
  const suite = report.cells[0]?.scores?.suite;
  return html`
    <span>Run <code title=${run.id} data-name="">${shortId(run.id)}</code></span>
    ${suite && html`<span>suite <b><${Name}>${suite}<//></b></span>`}
    <span><${When} of=${run} k="started" />${seconds !== null && html`, <${N} v=${seconds} how="ended - started" f="s" />`}</span>
    <span><${N} v=${report.cells.length} how="count" f="int" /> ${plural(report.cells.length, "result")}</span>
    <${RunState} run=${run} />
    <a href=${link("compare", { b: run.id })}>compare with…</a>`;
}

const threeOf = (o) => [
  o.sure && ["How sure", html`<${T} of=${o} k="sure" />`],
  ...o.next.slice(0, 2).map((step, i) => [i ? "Then" : "Look at next", html`<code data-name="">${step.command}</code>`, html`<${T} of=${step} k="why" />`]),
];

function trialTable(rows, kind) {
  const m = (row) => row.metric;
  return {
    rows: rows.filter((r) => r.metric),
    columns: [
      textColumn("contender", (r) => r.name),
      ...["level", "level_low", "level_high", "level_n", "n", "median", "median_low", "median_high", "mean", "sd", "min", "p5", "p25", "p75", "p95", "p99", "max"].map((k) => numberColumn(k.replace("_", " "), k, k === "n" || k === "level_n" ? "int" : kind, m)),
    ],
  };
}

function EcdfCard({ rows, kind }) {
  const six = rows.filter((r) => r.metric?.n > 0 && !isSimulated(r.cell)).slice(0, 6);
  const shown = six.length ? six : rows.slice(0, 6);
  return html`<${Card} title="Share of trials done" sub="by time; at most six contenders" drawn table=${trialTable(shown, kind)}>
    <${Ecdf} rows=${shown} kind=${kind} />
    <p class="cap">n = ${shown.filter((r) => r.metric).map((r, i) => html`${i > 0 && ", "}<${N} of=${r.metric} k="n" f="int" /> <${Name}>${r.name}<//>`)}. Left is faster; a long flat end is a long tail.</p>
  <//>`;
}
