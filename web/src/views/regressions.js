// What got worse since the baseline, who has said what of it, and how good the detector
// has been so far.
import { useRef, useState } from "preact/hooks";
import { html } from "../lib/html.js";
import { address, send, useGet } from "../lib/api.js";
import { metricName, plural } from "../lib/format.js";
import { isSite } from "../lib/site.js";
import { link } from "../lib/url.js";
import { Answer, Sentence } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { Change, gather } from "../parts/changes.js";
import { Interval, N, Name, T, When } from "../parts/number.js";
import { Chips, Pick } from "../parts/pick.js";
import { Empty, Failed, Loading, whenThere } from "../parts/state.js";
import { Severity, Verdict } from "../parts/verdict.js";

export function Regressions({ params }) {
  const agents = useGet("/benchmarks/agents?all=true");
  const alarms = useGet("/benchmarks/regressions");
  return whenThere([agents], (data) => {
    const names = data.agents.map((a) => a.name);
    if (!names.length) return html`<${Empty} title="No agent has results yet:" command="assay run specs/demo.yaml --stub" />`;
    const agent = params.agent ?? alarms.data?.alarms[0]?.agent ?? names[0];
    return html`<${OfAgent} key=${agent} agent=${agent} names=${names} alarms=${alarms} params=${params} />`;
  });
}

const LISTS = { worse: "Worse", undecided: "Undecided", better: "Better", "no change found": "No change found" };

function OfAgent({ agent, names, alarms, params }) {
  const asked = useGet(address(`/benchmarks/agents/${encodeURIComponent(agent)}/regressions`, { baseline_version: params.baseline }));
  const bar = html`<span>Regressions of</span><${Pick} label="Agent" hidden param="agent" value=${agent} options=${names} /><span>against its last good version</span><a href=${link("timeline", { agent })}>timeline</a>`;
  const data = asked.data;
  return html`
    ${asked.error
      ? html`<${Answer} where=${bar}><h1>Nothing to compare <${Name}>${agent}<//> with</h1><//><${Failed} error=${asked.error} again=${asked.again} />`
      : data ? html`<${Found} data=${data} bar=${bar} agent=${agent} params=${params} alarms=${alarms} again=${() => (asked.again(), alarms.again())} />` : html`<${Answer} where=${bar} /><${Loading} />`}
    <${Record} alarms=${alarms} />
  `;
}

const HEALTH = { healthy: "none", watch: "undecided", degraded: "worse", critical: "worse", unknown: "undecided" };

function Found({ data, bar, agent, params, alarms, again }) {
  const all = gather(data);
  const kind = LISTS[params.show] ? params.show : (Object.keys(LISTS).find((k) => all[k].length) ?? "worse");
  const shown = all[kind];
  return html`
    <${Answer} where=${bar} three=${[
      ["Health", html`<${Verdict} kind=${HEALTH[data.overall_health] ?? "undecided"}><${T} of=${data} k="overall_health" /><//>`, html`<${T} of=${data} k="subject" />`],
      ["Do next", html`<${T} of=${data} k="recommended_action" />`],
      ["Looked at", html`<${N} of=${data} k="comparisons" f="int" /> comparisons over <${N} of=${data} k="compared" f="int" /> of <${N} of=${data} k="cells" f="int" /> ${plural(data.cells, "result")}`, data.notes[0] && html`<${T} of=${data.notes} k=${0} />`],
    ]}>
      <${Sentence} of=${data} />
    <//>
    <${Card} title="Changes" flush sub="each with its interval; above 0 is worse" table=${changeTable(all)}
      tools=${html`<${Chips} label="Changes shown" param="show" value=${kind} options=${Object.entries(LISTS).map(([k, word]) => [k, word, all[k].length])} />`}
      note="A threshold of 10 % unless the policy says otherwise; what is muted or was judged false fails nothing and is named with who said so.">
      ${shown.length
        ? html`<ul class="rows first">${shown.map((one) => html`<${Change} one=${one} kind=${kind} more=${html`<${More} one=${one} />`} acts=${kind === "worse" && one.alarm && html`<${Acts} alarm=${one.alarm} again=${again} />`} />`)}</ul>`
        : html`<div class="empty">No change is like that.</div>`}
    <//>`;
}

function changeTable(all) {
  const rows = Object.entries(all).flatMap(([kind, list]) => list.map((one) => ({ kind, one })));
  const keys = ["agent", "agent_version", "benchmark", "metric", "baseline_value", "current_value", "regression_percentage", "low", "high", "severity", "n", "p_adjusted", "sentence"];
  return { rows, columns: [{ name: "verdict", get: (r) => r.kind }, ...keys.map((k) => ({ name: k, get: (r) => (Array.isArray(r.one[k]) ? r.one[k].join("/") : r.one[k]) }))] };
}

function More({ one }) {
  return html`<span class="block small muted"><${T} of=${one} k="sentence" /></span>
    ${one.next && html`<span class="block small faint">Would settle it: <${T} of=${one} k="next" /></span>`}
    ${one.impact_analysis?.sentence && html`<span class="block small faint"><${T} of=${one.impact_analysis} k="sentence" /></span>`}
    ${one.alarm && html`<span class="block small faint"><${T} of=${one.alarm} k="sentence" /></span>`}`;
}

/** Acknowledge (real or false) and mute: both ask for a reason, mute also for an end. */
function Acts({ alarm, again }) {
  const [asks, setAsks] = useState(null);
  const box = useRef(null);
  const open = (what) => {
    setAsks(what);
    requestAnimationFrame(() => box.current?.showModal());
  };
  const muted = alarm.muted_until && new Date(alarm.muted_until) > new Date();
  return html`
    ${alarm.judgement
      ? html`<span class="small muted">judged <${T} of=${alarm} k="judgement" /></span>`
      : !isSite && html`<button class="btn" onClick=${() => open("ack")}>Acknowledge…</button>`}
    ${muted ? html`<span class="small muted">muted until <${When} of=${alarm} k="muted_until" /></span>` : !isSite && html`<button class="btn" onClick=${() => open("mute")}>Mute…</button>`}
    ${asks && html`<${Say} what=${asks} alarm=${alarm} box=${box} close=${() => (box.current?.close(), setAsks(null))} again=${again} />`}`;
}

function Say({ what, alarm, box, close, again }) {
  const [error, setError] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const body = what === "ack" ? { judgement: form.get("judgement"), reason: form.get("reason") } : { reason: form.get("reason"), expires: form.get("expires") };
    try {
      await send("POST", `/benchmarks/regressions/${alarm.id}/${what === "ack" ? "acknowledge" : "mute"}`, body);
      close();
      again();
    } catch (failure) {
      setError(failure);
    }
  };
  return html`<dialog ref=${box} aria-label=${what === "ack" ? "Acknowledge" : "Mute"} onClose=${close}>
    <h2>${what === "ack" ? "Acknowledge" : "Mute"} this alarm</h2>
    <form class="form" onSubmit=${submit}>
      ${what === "ack" && html`<${Choice} />`}
      <label class="field">Reason<textarea class="btn" name="reason" required rows="2" cols="40"></textarea></label>
      ${what === "mute" && html`<label class="field">For<select class="btn" name="expires"><option value="7d">7 days</option><option value="14d" selected>14 days</option><option value="30d">30 days</option></select></label>`}
      ${error && html`<${Failed} error=${error} />`}
      <span class="chips"><button class="btn primary">${what === "ack" ? "Acknowledge" : "Mute"}</button><button class="btn" type="button" onClick=${close}>Cancel</button></span>
    </form>
  </dialog>`;
}

const Choice = () => html`<fieldset class="plainset"><legend class="small muted">It was</legend>
  <label><input type="radio" name="judgement" value="real" checked /> real: it got worse</label><br />
  <label><input type="radio" name="judgement" value="false" /> false: nothing got worse</label></fieldset>`;

/** Rules that are of no single benchmark. */
const PLACES = { whole: "all benchmarks together", systemic: "several benchmarks" };

/** The detector's own record: what people said of its past alarms. */
function Record({ alarms }) {
  if (alarms.error) return html`<${Failed} error=${alarms.error} again=${alarms.again} />`;
  if (!alarms.data) return null;
  const r = alarms.data;
  const table = { rows: r.alarms, columns: ["id", "agent", "agent_version", "benchmark", "rule", "metric", "severity", "regression_percentage", "raised_at", "judgement", "judged_reason", "muted_until"].map((k) => ({ name: k, get: (a) => a[k] })) };
  return html`<${Card} title="The detector's record" sub="what people said of its past alarms" flush table=${table}
    note=${html`<${T} of=${r} k="sentence" />`}>
    <dl class="three in-card">
      <div><dt>Precision</dt><dd>${r.precision.estimate === null ? "not known yet" : html`<b><${N} of=${r.precision} k="estimate" f="pct0" /></b> <${Interval} of=${r.precision} f="pct0" />`}</dd><dd><${N} of=${r} k="real" f="int" /> real, <${N} of=${r} k="false" f="int" /> false, <${N} of=${r} k="unjudged" f="int" /> not judged</dd></div>
      <div><dt>Time to detect</dt><dd>${r.detect_s.median === null ? "not known yet" : html`<b><${N} of=${r.detect_s} k="median" f="s" /></b> <${Interval} of=${r.detect_s} f="s" unitOf=${r.detect_s.median} missing="fewer than 6" />`}</dd><dd>${r.detect_runs.median === null ? "" : html`<${N} of=${r.detect_runs} k="median" f="sig" /> runs`}</dd></div>
      <div><dt>Muted now</dt><dd><${N} of=${r} k="muted" f="int" /></dd></div>
    </dl>
    ${r.alarms.length > 0 && html`<table class="fold"><caption class="sr">Past alarms, newest first</caption>
      <thead><tr><th>alarm</th><th>severity</th><th>metric</th><th class="num">worse by</th><th>raised</th><th>said of it</th></tr></thead>
      <tbody>${r.alarms.slice(0, 50).map((a) => html`<tr>
        <td><a class="agent" href=${link("regressions", { agent: a.agent })}><${Name}>${a.agent}${a.agent_version ? ` ${a.agent_version}` : ""}<//></a> <span class="muted">${PLACES[a.rule] ?? html`<${Name}>${a.benchmark}<//>`}</span></td>
        <td data-l="severity"><${Severity} level=${a.severity} /></td>
        <td data-l="metric"><${Name}>${metricName(a.metric)}<//></td>
        <td class="num" data-l="worse by"><${N} of=${a} k="regression_percentage" f="pct" /></td>
        <td data-l="raised"><${When} of=${a} k="raised_at" /></td>
        <td data-l="said of it">${a.judgement ? html`<b><${T} of=${a} k="judgement" /></b>: <${T} of=${a} k="judged_reason" />` : html`<span class="faint">nothing yet</span>`}${a.muted_until && html` <span class="tag">muted until <${When} of=${a} k="muted_until" /></span>`}</td>
      </tr>`)}</tbody></table>`}
  <//>`;
}
