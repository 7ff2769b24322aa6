// A run while it goes: how far it is, what each contender shows so far, what went wrong.
import { useState } from "preact/hooks";
import { html } from "../lib/html.js";
import { address, send, useGet } from "../lib/api.js";
import { format, shortId } from "../lib/format.js";
import { medianInterval, useEvents } from "../lib/live.js";
import { autoScale } from "../lib/scale.js";
import { link } from "../lib/url.js";
import { SeriesCanvas } from "../charts/series.js";
import { Answer } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { N, Name } from "../parts/number.js";
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
  return html`
    <${Answer} where=${html`<span>Run <code title=${id} data-name="">${shortId(id)}</code></span>${request.data && html`<span>suite <b><${Name}>${request.data.suite_id}<//></b></span>`}
      ${!over && html`<button class="btn" onClick=${cancel}>Cancel</button>`}${over && html`<a class="btn primary" href=${link("run", { id: run.runId ?? id })}>See the result</a>`}`}>
      <h1 aria-live="polite"><${Heading} run=${run} /></h1>
    <//>
    ${error && html`<${Failed} error=${error} />`}
    ${run.lost && html`<${Warning}>The connection was lost; it is taken up again where it ended. The run goes on.<//>`}
    ${run.state === "elsewhere" && html`<${Warning}>This run was started elsewhere: only its state is known here until it ends.<//>`}
    ${cells.length > 0 && html`<${Contenders} cells=${cells} /><${Follow} cells=${cells} params=${params} />`}
    ${run.notes.length > 0 && html`<${Card} title="Notes"><ul class="plainlist small muted">${run.notes.slice(-10).map((n) => html`<li data-name="">${n}</li>`)}</ul><//>`}
  `;
}

function Heading({ run }) {
  const done = html`<${N} v=${run.trials} how="trials so far" f="int" /> trials`;
  if (run.state === "waiting") return html`Waiting for its turn<span class="q">; one run at a time is measured</span>`;
  if (run.state === "elsewhere") return "This run goes on elsewhere";
  if (run.state === "over") return html`The run has ended: <${Name}>${run.status ?? "over"}<//><span class="q">; ${done}, <${N} v=${run.failures} how="failed trials so far" f="int" /> without an answer</span>`;
  return html`Measuring<span class="q">: ${done} so far, <${N} v=${run.failures} how="failed trials so far" f="int" /> without an answer</span>`;
}

function Contenders({ cells }) {
  const rows = cells.map(([index, c]) => ({ index, c, level: medianInterval(c.durations) }));
  const values = rows.flatMap((r) => (r.level ? [r.level.median, r.level.low, r.level.high] : [])).filter((v) => v > 0);
  const at = values.length ? autoScale(values, [2, 98]) : null;
  return html`<${Card} title="So far" sub="median with its 95 % interval as soon as there is one; right: judged right" flush>
    <table class="fold"><caption class="sr">Contenders of the run so far</caption>
      <thead><tr><th>cell</th><th class="num">done</th><th class="num">right</th><th></th><th class="num">median, 95 % interval</th><th>state</th></tr></thead>
      <tbody>${rows.map(({ index, c, level }) => html`<tr key=${index}>
        <td><b><${Name}>${c.label}<//></b></td>
        <td class="num" data-l="done"><${N} v=${c.ok + c.failed} how="trials so far" f="int" />${c.failed > 0 && html` <span class="faint">(<${N} v=${c.failed} how="failed so far" f="int" /> failed)</span>`}</td>
        <td class="num" data-l="right">${c.judged ? html`<${N} v=${c.right} how="right so far" f="int" /> of <${N} v=${c.judged} how="judged so far" f="int" />` : "–"}</td>
        <td class="full wide-wk">${level && at && html`<${Whisker} value=${level.median} low=${level.low} high=${level.high} at=${at} f="s" />`}</td>
        <td class="num" data-l="median">${level ? html`<${N} v=${level.median} how="median so far" f="s" /> <span class="faint" data-value=${level.low} data-computed="interval so far">${level.low === null ? "too few yet" : `[${format(level.low, "s", level.median).replace(/\s\S+$/, "")}, ${format(level.high, "s", level.median).replace(/\s\S+$/, "")}]`}</span>` : html`<span class="faint">warming up</span>`}</td>
        <td data-l="state">${c.status === "running" ? html`<span class="tag">running</span>` : c.status === "success" ? "done" : html`<${Verdict} kind="warn">${c.status}<//>`}</td>
      </tr>`)}</tbody></table>
  <//>`;
}

function Follow({ cells, params }) {
  const [, cell] = cells.find(([i]) => String(i) === params.cell) ?? cells.findLast(([, c]) => c.points.length > 0) ?? cells[0];
  const level = medianInterval(cell.durations);
  return html`<${Card} title="As it comes" sub=${html`duration of each trial of <${Name}>${cell.label}<//>; band: interval of the median`}
    tools=${html`<${Pick} label="Cell" hidden param="cell" value=${params.cell ?? ""} options=${[["", "the newest"], ...cells.map(([i, c]) => [String(i), c.label])]} />`}>
    ${cell.points.length > 0 ? html`<${SeriesCanvas} points=${cell.points} level=${level?.low !== null ? level : null} kind="s" xKind="s" height=${220} lines label=${`Durations of ${cell.label} as they are measured: ${cell.points.length} so far`} />` : html`<p class="cap">No trial yet.</p>`}
    <p class="cap">n = <${N} v=${cell.points.length} how="trials so far" f="int" /></p>
  <//>`;
}
