// A metric over runs: dots with their intervals, the level between changes as a line with a
// grey band, changes as dashed lines with the verdict's shape and the size of the step.
import { html } from "../lib/html.js";
import { format, shortCommit, when } from "../lib/format.js";
import { extent, linear, padded } from "../lib/scale.js";
import { Interval, N, Name } from "../parts/number.js";
import { Verdict } from "../parts/verdict.js";
import { Chart } from "./chart.js";
import { YAxis } from "./axis.js";

export const VERDICT_OF = { improvement: "better", degradation: "worse", change: "undecided" };
const LETTER = { better: "b", worse: "w", undecided: "u" };

/** The middle value; of an even number the mean of the two in the middle. */
const middle = (sorted) => (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;

/**
 * Stretches between changes: [{ from, to, level }], the level as the detector says it. Too few
 * points have none.
 */
export function levelsOf(series) {
  const cuts = series.change_points;
  if (series.too_few) return [];
  if (!cuts.length) {
    const values = series.points.map((p) => p.value).filter((v) => v !== null).sort((a, b) => a - b);
    return values.length ? [{ from: 0, to: series.points.length - 1, level: middle(values) }] : [];
  }
  return [...cuts, null].map((cut, i) => ({
    from: i ? cuts[i - 1].index : 0,
    to: cut ? cut.index - 1 : series.points.length - 1,
    level: cut ? cut.before : cuts[i - 1].after,
  }));
}

const arrow = (kind, x, y) => (kind === "better" ? `M${x} ${y}l4.5 8h-9z` : kind === "worse" ? `M${x} ${y + 8}l4.5 -8h-9z` : `M${x - 4} ${y + 4}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z`);

function scales(series, { width, height, byTime, left, right, top, bottom }) {
  const values = series.points.flatMap((p) => [p.value, p.low, p.high]);
  const y = linear(padded(extent(values) ?? [0, 1], 0.08), [height - bottom, top]);
  const moments = series.points.map((p) => new Date(p.at).getTime());
  const range = [left, width - right];
  const x = byTime ? linear(padded(extent(moments) ?? [0, 1], 0.02), range) : linear([-0.5, series.points.length - 0.5], range);
  return { y, at: (i) => (byTime ? x(moments[i]) : x(i)), range };
}

export function Timeline({ series, kind, byTime, height = 300, label }) {
  const draw = (width) => {
    const small = width < 600;
    const right = small ? 8 : 92;
    const { y, at, range } = scales(series, { width, height, byTime, left: 52, right, top: small ? 46 : 34, bottom: 28 });
    const last = series.points.at(-1);
    const body = html`
      <${YAxis} at=${y} left=${52} right=${range[1]} f=${kind} count=${5} />
      ${levelsOf(series).map((l) => html`<line class="line quiet" x1=${at(l.from)} x2=${at(l.to)} y1=${y(l.level)} y2=${y(l.level)} />`)}
      ${series.points.map((p, i) => p.low !== null && html`<line class="ci-v" x1=${at(i)} x2=${at(i)} y1=${y(p.low)} y2=${y(p.high)} />`)}
      ${series.points.map((p, i) => p.value !== null && html`<circle class="med" cx=${at(i)} cy=${y(p.value)} r=${series.points.length > 200 ? 2.5 : 4} />`)}
      ${series.change_points.map((c, k) => changeMark({ c, k, x: (at(c.index) + at(Math.max(0, c.index - 1))) / 2, height, small, series, width }))}
      <g data-axis="">${ticksBelow(series, at, width, height, small)}</g>
      ${!small && last?.value !== null && html`<g><text class="strong" x=${range[1] + 8} y=${y(last.value)}><${N} as="tspan" of=${last} k="value" f=${kind} /></text>
        <text x=${range[1] + 8} y=${y(last.value) + 13}><${Interval} as="tspan" of=${last} f=${kind} unitOf=${last.value} missing="" /></text></g>`}`;
    const points = series.points.map((p, i) => p.value !== null && { x: at(i), y: y(p.value), card: html`<${PointCard} point=${p} series=${series} i=${i} kind=${kind} />` }).filter(Boolean);
    return { body, points };
  };
  return html`<${Chart} name="timeline" label=${label} height=${height} draw=${draw} />`;
}

function changeMark({ c, k, x, height, small, series, width }) {
  const kind = VERDICT_OF[c.kind];
  const letter = LETTER[kind];
  const next = series.change_points[k + 1];
  const flip = x > width - (small ? 120 : 250) || (!small && next && next.index - c.index < series.points.length * 0.18 && k % 2 === 0);
  const y = small && k % 2 ? 26 : 12; // in two rows where they would meet
  return html`<g><line class="${letter}s dash" x1=${x} x2=${x} y1="14" y2=${height - 28} /><path class=${letter} d=${arrow(kind, x, 4)} />
    <text class="${letter}t ${flip ? "end" : ""}" x=${flip ? x - 9 : x + 9} y=${y}>${kind === "undecided" ? "changed" : kind} <${N} as="tspan" of=${c} k="change" f="signed_pct" /></text></g>`;
}

/** Commits where they are known, else days: as many as fit, each said once. */
function ticksBelow(series, at, width, height, small) {
  const most = small ? 3 : 7;
  const every = Math.max(1, Math.ceil(series.points.length / most));
  const name = (p) => shortCommit(p.commit) ?? when(p.at).replace(/ \d\d:\d\d$/, small ? "" : "$&");
  const isTick = (i) => i >= 0 && i % every === Math.floor(every / 2);
  const isNew = (i) => isTick(i) && !(isTick(i - every) && name(series.points[i - every]) === name(series.points[i]));
  return series.points.map((p, i) => isNew(i) && html`<text class="mid" x=${at(i)} y=${height - 8}>${name(p)}</text>`);
}

function PointCard({ point, series, i, kind }) {
  const change = series.change_points.find((c) => c.index === i);
  return html`<b data-name="">${shortCommit(point.commit) ?? ""}</b> <span class="faint" data-name="">${when(point.at)}</span><br />
    <b><${N} of=${point} k="value" f=${kind} /></b> <${Interval} of=${point} f=${kind} unitOf=${point.value} missing="too few for an interval" />, n = <${N} of=${point} k="n" f="int" />
    ${change && html`<br /><${Verdict} kind=${VERDICT_OF[change.kind]} /> <${N} of=${change} k="change" f="signed_pct" /> against the level before`}
    <br /><span class="faint">run <${Name}>${point.run ? point.run.slice(0, 13) : ""}<//></span>`;
}

/** The same small, for series beside the chosen one. */
export function Spark({ series, height = 76, label }) {
  const draw = (width) => {
    const { y, at } = scales(series, { width, height, left: 4, right: 4, top: 14, bottom: 8 });
    const body = html`
      ${levelsOf(series).map((l) => html`<line class="line thin" x1=${at(l.from)} x2=${at(l.to)} y1=${y(l.level)} y2=${y(l.level)} />`)}
      ${series.points.map((p, i) => p.low !== null && html`<line class="ci-v soft thin" x1=${at(i)} x2=${at(i)} y1=${y(p.low)} y2=${y(p.high)} />`)}
      ${series.points.map((p, i) => p.value !== null && html`<circle class="dot" cx=${at(i)} cy=${y(p.value)} r="1.75" />`)}
      ${series.change_points.map((c) => {
        const x = (at(c.index) + at(Math.max(0, c.index - 1))) / 2;
        const kind = VERDICT_OF[c.kind];
        return html`<line class="${LETTER[kind]}s dash" x1=${x} x2=${x} y1="12" y2=${height - 4} /><path class=${LETTER[kind]} d=${arrow(kind, x, 2)} />`;
      })}`;
    return { body };
  };
  return html`<${Chart} name="spark" label=${label} height=${height} draw=${draw} />`;
}

export const timelineLabel = (series, kind) =>
  `${series.metric} of ${series.label} over ${series.points.length} points; ${series.change_points.length ? series.change_points.map((c) => `${VERDICT_OF[c.kind]} by ${format(c.change, "signed_pct")} at point ${c.index}`).join(", ") : "no change"}; newest ${format(series.points.at(-1)?.value, kind)}`;
