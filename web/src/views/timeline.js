// A metric over runs or commits: since when, by how much, and how far to trust it.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { kindOf, metricName, plural, shortCommit, when } from "../lib/format.js";
import { link } from "../lib/url.js";
import { Spark, Timeline as Chart, VERDICT_OF, timelineLabel } from "../charts/timeline.js";
import { Answer, Sentence } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { Interval, N, Name, T } from "../parts/number.js";
import { Pick, Segments } from "../parts/pick.js";
import { Empty, Failed, Loading, whenThere } from "../parts/state.js";
import { numberColumn, textColumn } from "../parts/table.js";
import { Verdict } from "../parts/verdict.js";

const METRICS = ["", "duration_s", "accuracy", "cost_usd", "cpu_s", "memory_peak_mb", "tokens"];
const SINCE = [["7d", "Last 7 days"], ["30d", "Last 30 days"], ["90d", "Last 90 days"], ["", "All time"]];

export function Timeline({ params }) {
  const agents = useGet("/benchmarks/agents?all=true");
  return whenThere([agents], (data) => {
    const names = data.agents.map((a) => a.name);
    if (!names.length) return html`<${Empty} title="No history yet. Run something twice:" command=${"assay run specs/demo.yaml --stub\nassay trend duration_s"} />`;
    return html`<${OfAgent} agent=${params.agent ?? names[0]} names=${names} params=${params} />`;
  });
}

function OfAgent({ agent, names, params }) {
  const asked = useGet(address(`/benchmarks/agents/${encodeURIComponent(agent)}/trend`, { metric: params.metric, since: params.since, by: params.by }));
  const data = asked.data;
  const series = data?.series.find((s) => s.label === params.label) ?? data?.series[0];
  const bar = html`<${Where} agent=${agent} names=${names} data=${data} series=${series} params=${params} />`;
  if (asked.error) return html`<${Answer} where=${bar}><h1>No history of this choice</h1><//><${Failed} error=${asked.error} again=${asked.again} />`;
  if (!data) return html`<${Answer} where=${bar} /><${Loading} />`;
  if (!series) return html`<${Answer} where=${bar}><h1><${Name}>${agent}<//> has no such history</h1><//><${Empty} title="Two runs of one benchmark make a history:" command=${`assay run SUITE --agent ${agent}`} />`;
  const kind = kindOf(series.unit);
  const others = data.series.filter((s) => s !== series).slice(0, 8);
  return html`
    <${Answer} where=${bar} three=${threeAnswers(series, kind)}><${Sentence} of=${series} /><//>
    <${Card} title=${`${capital(metricName(series.metric))} over ${params.axis === "time" ? "time" : "runs"}`} file="timeline" drawn table=${pointTable(series, kind)}
      sub="dot: the level of the run; bar: its 95 % interval; line: level; ▲ ▼ with dashes: change"
      tools=${html`<${Segments} label="Axis" param="axis" value=${params.axis ?? "runs"} options=${[["runs", "Runs"], ["time", "Time"]]} />`}
      note=${html`<${N} of=${series} k="n" f="int" /> ${plural(series.n, "point")} by ${data.by}; changes found by the detector <${Name}>${data.detector}<//>${series.host && html` on host <${Name}>${series.host}<//>`}. ${series.note && html`<${T} of=${series} k="note" />`}`}>
      <${Chart} series=${series} kind=${kind} byTime=${params.axis === "time"} label=${timelineLabel(series, kind)} />
    <//>
    ${others.length > 0 && html`<section class="group"><h2>Other histories of <${Name}>${agent}<//> <small>same scale of time; bars: 95 % interval of each point</small></h2>
      <div class="cols four stretch">${others.map((s) => html`<${Multiple} series=${s} params=${params} agent=${agent} />`)}</div></section>`}
  `;
}

function Where({ agent, names, data, series, params }) {
  const labels = (data?.series ?? []).map((s) => [s.label, shortLabel(s)]);
  return html`<span>Timeline of</span>
    <${Pick} label="Agent" hidden param="agent" value=${agent} options=${names} />
    ${labels.length > 0 && html`<span>on</span><${Pick} label="Benchmark" hidden param="label" value=${series?.label} options=${labels} />`}
    <${Pick} label="Metric" hidden param="metric" value=${params.metric ?? ""} options=${METRICS.map((m) => [m, m ? metricName(m) : "primary metric"])} />
    <${Pick} label="Window" hidden param="since" value=${params.since ?? ""} options=${SINCE} />
    <a href=${link("regressions", { agent })}>regressions</a>`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const shortLabel = (s) => s.label.replace(/, agent=[^,]*/, "");

function threeAnswers(series, kind) {
  const last = series.points.at(-1);
  const change = series.change_points.at(-1);
  return [
    ["Now", html`<b><${N} of=${last} k="value" f=${kind} /></b> <${Interval} of=${last} f=${kind} unitOf=${last.value} missing="too few for an interval" />, n = <${N} of=${last} k="n" f="int" />`, series.expected[0] !== null && html`expected <${N} of=${series.expected} k=${0} f=${kind} /> to <${N} of=${series.expected} k=${1} f=${kind} />, from the runs before`],
    ["Last change", change ? html`<${Verdict} kind=${VERDICT_OF[change.kind]} /> <${N} of=${change} k="change" f="signed_pct" />, p ${change.p < 1e-16 ? "" : "= "}<${N} of=${change} k="p" f="p" />` : series.too_few ? "too few points to see one" : "none found",
      change && html`<${N} of=${change} k="before" f=${kind} /> before, <${N} of=${change} k="after" f=${kind} /> since; <a href=${link("run", { id: change.run })}>the first run after it</a>`],
    ["Drift", series.drift ? html`<${N} of=${series.drift} k="total" f="signed_pct" /> from the first point to the last` : series.too_few ? "too few points to see one" : "no steady drift found",
      series.rates && html`false alarms in <${N} of=${series.rates} k="false_alarms" f="pct" /> of series like this one without a change`],
  ];
}

function pointTable(series, kind) {
  return {
    rows: series.points,
    columns: [
      { name: "at", get: (p) => p.at, show: (p) => html`<time datetime=${p.at} title=${p.at}>${when(p.at)}</time>` },
      numberColumn("value", "value", kind),
      numberColumn("low", "low", kind),
      numberColumn("high", "high", kind),
      numberColumn("n", "n", "int"),
      textColumn("commit", (p) => shortCommit(p.commit)),
      { name: "run", get: (p) => p.run, show: (p) => html`<a href=${link("run", { id: p.run })} data-name="">${p.run?.slice(0, 13)}</a>` },
      { name: "change", get: (p) => series.change_points.find((c) => series.points[c.index] === p)?.kind ?? "", show: (p) => {
        const c = series.change_points.find((x) => series.points[x.index] === p);
        return c ? html`<${Verdict} kind=${VERDICT_OF[c.kind]} /> <${N} of=${c} k="change" f="signed_pct" />` : "";
      } },
    ],
  };
}

function Multiple({ series, params, agent }) {
  const kind = kindOf(series.unit);
  const last = series.points.at(-1);
  const change = series.change_points.at(-1);
  const verdict = change ? html`<${Verdict} kind=${VERDICT_OF[change.kind]}><${N} of=${change} k="change" f="signed_pct" /><//>` : html`<${Verdict} kind="none">${series.too_few ? "too few points" : "no change found"}<//>`;
  return html`<section class="card mult"><h3><a href=${link("timeline", { ...params, agent, label: series.label })} data-name="">${shortLabel(series)}</a> ${verdict}</h3>
    <p><${Name}>${metricName(series.metric)}<//> <${N} of=${last} k="value" f=${kind} /> <${Interval} of=${last} f=${kind} unitOf=${last.value} missing="" />, n = <${N} of=${last} k="n" f="int" /></p>
    <${Spark} series=${series} label=${timelineLabel(series, kind)} /></section>`;
}
