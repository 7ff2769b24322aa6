// Values in the order in which they were measured: drift, steps and outliers show here and
// nowhere else. The band is the interval of the level. Many points are uPlot's, on a
// canvas; few are drawn, so that each can be reached.
import { html } from "../lib/html.js";
import { N } from "../parts/number.js";
import { extent, linear, padded } from "../lib/scale.js";
import { Chart } from "./chart.js";
import { XAxis, YAxis } from "./axis.js";
import { SeriesCanvas } from "./series.js";

export const MOST_DRAWN = 2000;

/** points: [{ x, y, odd, hollow, card }]; level: { value, low, high }. */
export function Order({ points, level, kind, xKind = "s", breaks = [], label, height = 168, joined = false }) {
  if (points.length > MOST_DRAWN) return html`<${SeriesCanvas} points=${points} level=${level} kind=${kind} xKind=${xKind} label=${label} height=${height} />`;
  const draw = (width) => {
    const ys = extent([...points.map((p) => p.y), level?.low, level?.high]) ?? [0, 1];
    const up = linear(ys[0] >= 0 && ys[0] < ys[1] * 0.7 ? [0, ys[1] * 1.06] : padded(ys, 0.1), [height - 26, 8]);
    const at = linear(padded(extent(points.map((p) => p.x)) ?? [0, 1], 0.02), [44, width - 6]);
    const placed = points.map((p) => ({ ...p, x: at(p.x), y: up(p.y) }));
    const body = html`
      <${YAxis} at=${up} left=${44} right=${width} f=${kind} count=${3} />
      <g data-axis=""><${XAxis} at=${at} top=${height - 26} bottom=${height - 26} y=${height - 8} f=${xKind} count=${4} /></g>
      ${breaks.map((b) => html`<line class="ax dash" x1=${at(b)} x2=${at(b)} y1="8" y2=${height - 26} />`)}
      ${level && html`<rect class="band" x="44" width=${width - 50} y=${up(level.high)} height=${Math.max(0.5, up(level.low) - up(level.high))} /><line class="line thin" x1="44" x2=${width - 6} y1=${up(level.value)} y2=${up(level.value)} />`}
      ${joined && html`<path class="line thin quiet" d=${placed.map((p, i) => `${i ? "L" : "M"}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join("")} />`}
      ${placed.map((p) => html`<circle class=${p.hollow ? "hole" : p.odd ? "w" : "dot strongdot"} cx=${p.x.toFixed(1)} cy=${p.y.toFixed(1)} r="2.5" />`)}`;
    return { body, points: placed.map((p, i) => ({ x: p.x, y: p.y, card: p.card ?? html`<${N} v=${points[i].y} how="as measured" f=${kind} />` })) };
  };
  return html`<${Chart} name="order" label=${label} height=${height} draw=${draw} />`;
}
