// The trials of one cell in the order in which they were measured; or its warm-up.
import { html } from "../lib/html.js";
import { cellName } from "../lib/report.js";
import { format } from "../lib/format.js";
import { Order } from "../charts/order.js";
import { Card } from "./card.js";
import { Interval, N, Name, T } from "./number.js";

function trials(cell, metric, kind) {
  const points = [];
  metric.samples.forEach((y, i) => {
    if (y === null) return;
    const odd = Math.abs(y - metric.median) > 5 * metric.mad * 1.4826 && metric.mad > 0;
    points.push({
      x: cell.starts_s[i] ?? i,
      y,
      odd,
      card: html`trial <${N} v=${i} how="position" f="int" />: <b><${N} of=${metric.samples} k=${i} f=${kind} /></b><br /><span class="faint">at <${N} of=${cell.starts_s} k=${i} f="s" /> of the run</span>`,
    });
  });
  return points;
}

/** The trial after which a new pass over the cases began, in seconds. */
function passStarts(cell) {
  const notes = cell.trial_notes.filter((n) => n.phase === "measured");
  const starts = [];
  let pass = 0;
  for (const note of notes) {
    if (note.iteration > pass && cell.starts_s[note.trial] !== undefined) {
      pass = note.iteration;
      starts.push(cell.starts_s[note.trial]);
    }
  }
  return starts.slice(0, 12);
}

const asTable = (points, x, y) => ({
  rows: points,
  columns: [
    { name: x, num: true, get: (p) => p.x, show: (p) => html`<${N} v=${p.x} how="as drawn" />` },
    { name: y, num: true, get: (p) => p.y, show: (p) => html`<${N} v=${p.y} how="as drawn" />` },
  ],
});

function TimeOrder({ cell, metric, kind }) {
  const points = trials(cell, metric, kind);
  const value = metric.level ?? metric.median;
  const level = { value, low: metric.level_low ?? value, high: metric.level_high ?? value };
  return html`<${Card} title="Time order" sub=${html`<${Name}>${cellName(cell)}<//>; band: interval of the level`} drawn table=${asTable(points, "start_s", metric.name)}>
    <${Order} points=${points} level=${level} kind=${kind} breaks=${passStarts(cell)}
      label=${`${cellName(cell)} in the order of measuring: ${points.length} trials around ${format(value, kind)}`} />
    <p class="cap"><${N} of=${metric} k="n" f="int" /> trials; level <${N} of=${metric} k="level" f=${kind} /> <${Interval} of=${metric} low="level_low" high="level_high" f=${kind} unitOf=${metric.level} />, n = <${N} of=${metric} k="level_n" f="int" />; <${N} of=${metric} k="outliers" f="int" /> outliers${metric.warnings.length > 0 && html`: ${metric.warnings.map((_, i) => html`${i > 0 && ", "}<${T} of=${metric.warnings} k=${i} />`)}`}.</p>
  <//>`;
}

function WarmUp({ cell, metric, kind }) {
  const { warmup } = cell;
  const first = metric.samples.slice(0, 12);
  const points = [
    ...warmup.durations_s.map((y, i) => ({ x: i - warmup.durations_s.length, y, hollow: true, card: html`warm-up trial: <b><${N} of=${warmup.durations_s} k=${i} f="s" /></b>` })),
    ...first.map((y, i) => ({ x: i, y, card: html`measured trial <${N} v=${i} how="position" f="int" />: <b><${N} of=${metric.samples} k=${i} f=${kind} /></b>` })).filter((p) => p.y !== null),
  ];
  const steady = { "-1": "not steady by then", "-2": "steadiness was not asked for" }[warmup.steady_at];
  return html`<${Card} title="Warm-up" sub=${html`<${Name}>${cellName(cell)}<//>; empty: not counted`} drawn table=${asTable(points, "trial", metric.name)}>
    <${Order} points=${points} kind=${kind} xKind="1" joined breaks=${[-0.5]} label=${`Warm-up of ${cellName(cell)}: ${warmup.done} trials, then the first measured ones`} />
    <p class="cap"><${N} of=${warmup} k="done" f="int" /> warm-up trials, ${steady ?? html`steady from trial <${N} of=${warmup} k="steady_at" f="int" />`}. ${warmup.planned >= 0 && html`<code>warmup: steady</code> would go on until it is.`}</p>
  <//>`;
}

export function Drift({ cell, metric, kind, warmup = false }) {
  const title = warmup ? "Warm-up" : "Time order";
  if (!metric || metric.n === 0) return html`<${Card} title=${title}><p class="cap">No trial of <${Name}>${cellName(cell)}<//> gave this metric.</p><//>`;
  if (!warmup) return html`<${TimeOrder} cell=${cell} metric=${metric} kind=${kind} />`;
  if (!cell.warmup.durations_s.length || metric.name !== "duration_s") return html`<${Card} title=${title}><p class="cap">No warm-up times are stored for this metric.</p><//>`;
  return html`<${WarmUp} cell=${cell} metric=${metric} kind=${kind} />`;
}
