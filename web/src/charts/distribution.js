// One row for each contender: a box of the quartiles of trials with whiskers from 5 to 95 %,
// the level with its interval inside, and below it every sample. The jitter is seeded: the
// same data make the same picture.
import { html } from "../lib/html.js";
import { format } from "../lib/format.js";
import { autoScale, extent, linear, padded, seeded } from "../lib/scale.js";
import { Interval, N, Name } from "../parts/number.js";
import { Chart } from "./chart.js";
import { XAxis } from "./axis.js";

const MOST_DOTS = 1500; // of one row; beyond that every n-th is drawn, and said

/** rows: [{ name, tag, metric }], metric as in assay.report/1. */
export function Distribution({ rows, kind, label }) {
  const long = rows.some((r) => r.name.length > 15); // names above their rows, where they have room
  const narrow = (w) => w < 600 || long;
  const rowHeight = (w) => (narrow(w) ? 78 : 47);
  const drawnRows = rows.filter((r) => r.metric && r.metric.n > 0);
  const draw = (width) => {
    const small = narrow(width);
    const left = small ? 4 : 96;
    const right = small ? width - 8 : width - 268;
    const tall = rowHeight(width);
    const values = drawnRows.flatMap((r) => r.metric.samples.filter((v) => v !== null));
    const [low, high] = extent(values) ?? [0, 1];
    const at = low > 0 && high / low >= 20 ? autoScale(values, [left, right], 0.02) : linear(padded([low, high], 0.03), [left, right]);
    const bottom = 26 + tall * drawnRows.length;
    const points = [];
    const body = html`
      <${XAxis} at=${at} top=${22} bottom=${bottom} y=${14} f=${kind} count=${small ? 4 : 8} />
      ${!small && html`<g><text x=${right + 24} y="14">level, 95 % interval</text><text class="end" x=${width - 48} y="14">n</text><text class="end" x=${width} y="14">cv</text></g>`}
      ${drawnRows.map((row, i) => drawRow({ row, i, at, y: 26 + i * tall, tall, width, right, small, kind, points }))}`;
    return { body, points };
  };
  return html`<${Chart} name="distribution" label=${label} height=${(w) => 30 + rowHeight(w) * drawnRows.length} draw=${draw} />`;
}

function drawRow({ row, i, at, y, tall, width, right, small, kind, points }) {
  const m = row.metric;
  const head = small ? 16 : 0;
  const mid = y + head + 13;
  const random = seeded(i + 7);
  const samples = m.samples.filter((v) => v !== null);
  const every = Math.ceil(samples.length / MOST_DOTS);
  const dots = samples.filter((_, j) => j % every === 0);
  points.push({ x: at(m.level ?? m.median), y: mid, card: html`<${Card} row=${row} kind=${kind} every=${every} />` });
  return html`<g>
    <line class="gr" x1="0" x2=${width} y1=${y + tall - 2} y2=${y + tall - 2} />
    <text class="strong" x="0" y=${small ? y + 11 : mid + 4} data-name="">${fit(row.name, width)}</text>
    ${row.tag && !small && html`<text class="quiet-t" x="0" y=${mid + 17}>${row.tag}</text>`}
    ${small
      ? html`<text class="end lab" x=${width} y=${y + 11}><${N} as="tspan" of=${m} k="level" f=${kind} /> <${Interval} as="tspan" of=${m} low="level_low" high="level_high" f=${kind} unitOf=${m.level} missing="too few for an interval" />, n = <${N} as="tspan" of=${m} k="level_n" f="int" /></text>`
      : html`<text class="lab" x=${right + 24} y=${mid + 4}><${N} as="tspan" of=${m} k="level" f=${kind} /> <${Interval} as="tspan" of=${m} low="level_low" high="level_high" f=${kind} unitOf=${m.level} missing="too few for an interval" /></text>
          <text class="end" x=${width - 48} y=${mid + 4}><${N} as="tspan" of=${m} k="level_n" f="int" /></text>
          <text class="end" x=${width} y=${mid + 4}><${N} as="tspan" of=${m} k="cv" f="pct0" /></text>`}
    <line class="box" x1=${at(m.p5)} x2=${at(m.p25)} y1=${mid} y2=${mid} /><line class="box" x1=${at(m.p75)} x2=${at(m.p95)} y1=${mid} y2=${mid} />
    <rect class="box" x=${at(m.p25)} y=${mid - 6} width=${Math.max(1, at(m.p75) - at(m.p25))} height="12" rx="1.5" />
    ${m.level_low !== null && m.level_high !== null && html`<line class="ci" x1=${at(m.level_low)} x2=${at(m.level_high)} y1=${mid} y2=${mid} />`}
    ${m.level !== null && html`<circle class="med" cx=${at(m.level)} cy=${mid} r="4" />`}
    ${dots.map((v) => html`<circle class="dot" cx=${at(v).toFixed(1)} cy=${(mid + 13 + random() * 9).toFixed(1)} r="2" />`)}
  </g>`;
}

/** As much of a name as leaves room for the numbers at the right. */
const fit = (name, width) => {
  const most = Math.max(12, Math.floor((width - 230) / 6.4));
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
};

function Card({ row, kind, every }) {
  const m = row.metric;
  return html`<b><${Name}>${row.name}<//></b><br />
    level <${N} of=${m} k="level" f=${kind} /> <${Interval} of=${m} low="level_low" high="level_high" f=${kind} unitOf=${m.level} missing="too few for an interval" />, n = <${N} of=${m} k="level_n" f="int" /><br />
    of <${N} of=${m} k="n" f="int" /> trials: mean <${N} of=${m} k="mean" f=${kind} />, p95 <${N} of=${m} k="p95" f=${kind} />, p99 <${N} of=${m} k="p99" f=${kind} /><br />
    <span class="faint">from <${N} of=${m} k="min" f=${kind} /> to <${N} of=${m} k="max" f=${kind} />, <${N} of=${m} k="outliers" f="int" /> outliers${every > 1 ? `; one dot in ${every} is drawn` : ""}</span>`;
}

export const distributionLabel = (rows, kind) =>
  `Every trial: ${rows.filter((r) => r.metric?.n).map((r) => `${r.name} level ${format(r.metric.level, kind)}, interval ${format(r.metric.level_low, kind)} to ${format(r.metric.level_high, kind)}, n ${r.metric.level_n}`).join("; ")}`;
