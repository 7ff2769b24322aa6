// A run while it goes: how far it is, what each contender shows so far, what went wrong.
import { useEffect, useState } from "preact/hooks";
import { html } from "../lib/html.js";
import { readableLabel } from "../lib/agents.js";
import { address, send, useGet } from "../lib/api.js";
import { kindOf, metricName, shortId } from "../lib/format.js";
import { useEvents } from "../lib/live.js";
import { autoScale } from "../lib/scale.js";
import { link } from "../lib/url.js";
import { SeriesCanvas } from "../charts/series.js";
import { Answer } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { Interval, N, Name, T } from "../parts/number.js";
import { Pick } from "../parts/pick.js";
import { Empty, Failed } from "../parts/state.js";
import { Verdict, Warning } from "../parts/verdict.js";
import { Whisker } from "../parts/whisker.js";

export function Live({ params }) {
  if (!params.run) return html`<${Empty} title="No run is chosen."><a href=${link("start")}>Start one</a><//>`;
  return html`<${Watched} id=${params.run} params=${params} key=${params.run} />`;
}

function Watched({ id, params }) {
  const run = useEvents(id);
  const request = useGet(address(`/benchmarks/runs/${encodeURIComponent(id)}/request`));
  const [error, setError] = useState(null);
  const cells = [...run.cells.entries()];
  const cancel = () => send("POST", `/benchmarks/runs/${encodeURIComponent(id)}/cancel`).catch(setError);
  const over = run.state === "over";
  useEffect(() => void (over && request.again()), [over]); // why it ended, if it never began
  return html`
    <${Answer} where=${html`<span>Run <code title=${id} data-name="">${shortId(id)}</code></span>${request.data && html`<span>suite <b><${Name}>${request.data.suite_id}<//></b></span>`}
      ${!over && run.state !== "parked" && html`<button class="btn" onClick=${cancel}>Cancel</button>`}${over && (run.counts || !request.data?.error) && html`<a class="btn primary" href=${link("run", { id: run.runId ?? id })}>See the result</a>`}`}>
      <h1 aria-live="polite"><${Heading} run=${run} /></h1>
    <//>
    ${error && html`<${Failed} error=${error} />`}
    ${over && request.data?.error && html`<${Warning}><${T} of=${request.data} k="error" /><//>`}
    ${run.lost && html`<${Warning}>The connection was lost; it is taken up again where it ended. The run goes on.<//>`}
    ${run.state === "elsewhere" && html`<${Warning}>This run was started elsewhere: only its state is known here until it ends.<//>`}
    ${cells.length > 0 && html`<${Contenders} cells=${cells} /><${Follow} cells=${cells} params=${params} />`}
    ${run.notes.length > 0 && html`<${Card} title="Notes"><ul class="plainlist small muted">${run.notes.slice(-10).map((n) => html`<li data-name="">${n}</li>`)}</ul><//>`}
  `;
}

const SAID = "the run's own line";

/** Trials of `counts` (a cell's line, or the run's) that went wrong in any way. */
const Failures = ({ counts }) => html`<${N} v=${counts.attempted - counts.ok} how="attempted less ok" f="int" />`;

function Heading({ run }) {
  const done = html`<${N} v=${run.counts?.attempted ?? run.done} how=${SAID} f="int" />${run.planned > 0 && html` of <${N} v=${run.planned} how=${SAID} f="int" />`} trials`;
  if (run.state === "waiting") return html`Waiting for its turn<span class="q">; one run at a time is measured</span>`;
  if (run.state === "elsewhere") return "This run goes on elsewhere";
  if (run.state === "parked") return html`The server stops<span class="q">; the next one goes on with this run</span>`;
  if (run.state === "over" && !run.counts) return html`The run has ended: <${Name}>${run.status ?? "over"}<//>`;
  if (run.state === "over") return html`The run has ended: <${Name}>${run.status}<//><span class="q">; ${done}, <${Failures} counts=${run.counts} /> without an answer</span>`;
  return run.done === null ? html`Measuring<span class="q">; no trial has ended yet</span>` : html`Measuring<span class="q">: ${done} so far</span>`;
}

function Contenders({ cells }) {
  const rows = cells.map(([index, c]) => ({ index, c, now: c.now }));
  const values = rows.flatMap(({ now }) => (now ? [now.median, now.low, now.high] : [])).filter((v) => v > 0);
  const at = values.length ? autoScale(values, [2, 98]) : null;
  const metric = rows.find((r) => r.now)?.now.metric;
  return html`<${Card} title="So far" sub=${html`${metric ? html`<${Name}>${metricName(metric)}<//>: median` : "median"} with its 95 % interval as soon as there is one; right: judged right`} flush>
    <table class="fold"><caption class="sr">Contenders of the run so far</caption>
      <thead><tr><th>contender</th><th class="num">done</th><th class="num">right</th><th></th><th class="num">median, 95 % interval</th><th>state</th></tr></thead>
      <tbody>${rows.map(({ index, c, now }) => html`<tr key=${index}>
        <td><b><${Name}>${readableLabel(c.label)}<//></b></td>
        <td class="num" data-l="done">${now ? html`<${N} v=${now.attempted} how=${SAID} f="int" />${now.attempted > now.ok && html` <span class="faint">(<${Failures} counts=${now} /> failed)</span>`}` : "–"}</td>
        <td class="num" data-l="right">${now?.attempted && now.right !== null ? html`<${N} v=${now.right} how=${SAID} f="int" /> of <${N} v=${now.attempted} how=${SAID} f="int" />` : "–"}</td>
        <td class="full wide-wk">${now && at && html`<${Whisker} value=${now.median} low=${now.low} high=${now.high} at=${at} f=${kindOf(now.unit)} />`}</td>
        <td class="num" data-l="median">${now && now.median !== null ? html`<${N} v=${now.median} how=${SAID} f=${kindOf(now.unit)} /> <span class="faint"><${Interval} of=${now} f=${kindOf(now.unit)} unitOf=${now.median} missing=${c.status === "running" ? "too few yet" : "too few"} /></span>` : html`<span class="faint">${now ? "none" : "warming up"}</span>`}</td>
        <td data-l="state">${c.status === "running" ? html`<span class="tag">running</span>` : c.status === "success" ? "done" : html`<${Verdict} kind="warn">${c.status}<//>`}${c.status !== "running" && now?.error && html`<span class="block small muted"><${Name}>${now.error}<//></span>`}</td>
      </tr>`)}</tbody></table>
  <//>`;
}

function Follow({ cells, params }) {
  const [, cell] = cells.find(([i]) => String(i) === params.cell) ?? cells.findLast(([, c]) => c.points.length > 0) ?? cells[0];
  const now = cell.now;
  const kind = kindOf(now?.unit ?? "s");
  const name = metricName(now?.metric ?? "duration_s");
  return html`<${Card} title="As it comes" sub=${html`<${Name}>${name}<//> of each trial of <${Name}>${readableLabel(cell.label)}<//>; band: interval of the median`}
    tools=${html`<${Pick} label="Contender" hidden param="cell" value=${params.cell ?? ""} options=${[["", "the newest"], ...cells.map(([i, c]) => [String(i), readableLabel(c.label)])]} />`}>
    ${cell.points.length > 0 ? html`<${SeriesCanvas} points=${cell.points} level=${now && now.low !== null ? now : null} kind=${kind} xKind="s" height=${220} lines label=${`${name} of ${cell.label} as it is measured: ${cell.points.length} trials`} />` : html`<p class="cap">No trial yet.</p>`}
    <p class="cap">drawn: <${N} v=${cell.points.length} how="points of the picture" f="int" />${now && html`; n = <${N} v=${now.n} how=${SAID} f="int" />`}</p>
  <//>`;
}
