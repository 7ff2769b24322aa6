// Which share of trials was done within which time: one step line a contender, its name at
// the line, and a band where the share may lie (95 %, Dvoretzky, Kiefer, Wolfowitz, Massart).
import { html } from "../lib/html.js";
import { autoScale, linear } from "../lib/scale.js";
import { format } from "../lib/format.js";
import { Chart } from "./chart.js";
import { XAxis, YAxis } from "./axis.js";

const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function steps(sorted, at, up, shift = 0) {
  const share = (i) => Math.min(1, Math.max(0, i / sorted.length + shift));
  const out = [[at.range[0], up(share(0))]];
  sorted.forEach((v, i) => out.push([at(v), up(share(i))], [at(v), up(share(i + 1))]));
  out.push([at.range[1], up(share(sorted.length))]);
  return out;
}

/** Names stand at their line where they hit no other; otherwise in order at the right. */
function labelPlaces(series, at, up) {
  const taken = [];
  return series.map(({ sorted }) => {
    for (const share of [0.5, 0.65, 0.35, 0.8, 0.2, 0.92, 0.08]) {
      const x = at(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]) + 6;
      const y = up(share) + 12;
      if (x < at.range[1] - 40 && taken.every(([tx, ty]) => Math.abs(tx - x) > 58 || Math.abs(ty - y) > 14)) {
        taken.push([x, y]);
        return [x, y];
      }
    }
    return null;
  });
}

export function Ecdf({ rows, kind, height = 168 }) {
  const series = rows
    .filter((r) => r.metric?.n > 0)
    .slice(0, 6)
    .map((r) => ({ ...r, sorted: r.metric.samples.filter((v) => v !== null).sort((a, b) => a - b) }));
  const label = `Share of trials done by time: ${series.map((s) => `${s.name}: half within ${format(s.metric.median, kind)}, n ${s.metric.n}`).join("; ")}`;
  const draw = (width) => {
    const at = autoScale(series.flatMap((s) => s.sorted), [40, width - 6], 0.01);
    const up = linear([0, 1], [height - 26, 8]);
    const places = labelPlaces(series, at, up);
    const body = html`
      <${YAxis} at=${up} left=${40} right=${width} f="pct" count=${2} />
      <${XAxis} at=${at} top=${8} bottom=${height - 26} y=${height - 8} f=${kind} count=${4} />
      ${series.map(({ sorted }, i) => {
        const half = Math.sqrt(Math.log(2 / 0.05) / (2 * sorted.length));
        const band = [...steps(sorted, at, up, half), ...steps(sorted, at, up, -half).reverse()];
        return series.length <= 2 && html`<path class="a${i + 1}" d=${`${path(band)}Z`} />`;
      })}
      ${series.map(({ sorted }, i) => html`<path class="line thin s${i + 1}" d=${path(steps(sorted, at, up))} />`)}
      ${series.map((s, i) => places[i] && html`<text class="f${i + 1}" x=${places[i][0]} y=${places[i][1]} data-name="">${s.name.length > 18 ? `${s.name.slice(0, 17)}…` : s.name}</text>`)}`;
    return { body };
  };
  return html`<${Chart} name="ecdf" label=${label} height=${height} draw=${draw} />`;
}
