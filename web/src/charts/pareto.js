// Accuracy by cost: crosses are the intervals of both, the step line is the front. Up and
// left is better. What is free has no place on a logarithmic axis and stands beside it.
import { html } from "../lib/html.js";
import { readable } from "../lib/agents.js";
import { format } from "../lib/format.js";
import { extent, linear, logarithmic } from "../lib/scale.js";
import { Interval, N, Name } from "../parts/number.js";
import { Chart } from "./chart.js";
import { XAxis, YAxis } from "./axis.js";

/** Points place a configuration; only verdicts call it dominated. */
export const frontWord = (c) => (c.dominated_by ? html`dominated by <${Name}>${readable(c.dominated_by)}<//>` : c.pareto ? "on the front" : "behind the front, not decided");

export const configName = (c) => (c.version ? `${c.agent} ${c.version}` : c.agent);

/** Labels move to where no dot and no other label is. */
function placeLabels(dots, width) {
  const taken = dots.map((d) => [d.x - 5, d.y - 5, d.x + 5, d.y + 5]);
  return dots.map((d) => {
    const w = d.name.length * 6.2 + 4;
    const spots = [[9, 16, ""], [-9, -7, "end"], [9, -7, ""], [-9, 16, "end"], [9, 28, ""], [-9, -19, "end"]];
    for (const [dx, dy, anchor] of spots) {
      const left = anchor ? d.x + dx - w : d.x + dx;
      const box = [left, d.y + dy - 10, left + w, d.y + dy + 3];
      const free = taken.every(([a, b, c, e]) => box[2] < a || box[0] > c || box[3] < b || box[1] > e);
      if (free && left > 44 && left + w < width) {
        taken.push(box);
        return { x: d.x + dx, y: d.y + dy, anchor };
      }
    }
    return { x: d.x + 9, y: d.y + 16, anchor: "" };
  });
}

export function Pareto({ list, height = 340 }) {
  const paid = list.filter((c) => c.cost_per_success_usd > 0 && c.accuracy !== null);
  const label = `Accuracy by cost per 1,000 successes: ${paid.map((c) => `${configName(c)} ${format(c.accuracy, "score2")} for ${format(c.cost_per_success_usd, "usd1000")}${c.pareto ? ", on the front" : ""}`).join("; ")}`;
  const draw = (width) => {
    const costs = extent(paid.flatMap((c) => [c.cost_per_success_usd, c.cost_low, c.cost_high].filter((v) => v > 0)));
    const x = logarithmic([costs[0] * 1000 * 0.8, costs[1] * 1000 * 1.25], [44, width - 14]);
    const ys = extent(paid.flatMap((c) => [c.accuracy, c.accuracy_low, c.accuracy_high]));
    const y = linear([Math.max(0, ys[0] - 0.04), Math.min(1.02, ys[1] + 0.04)], [height - 46, 20]);
    const dots = paid.map((c) => ({ c, name: configName(c), x: x(c.cost_per_success_usd * 1000), y: y(c.accuracy) }));
    const labels = placeLabels(dots, width);
    const front = dots.filter((d) => d.c.pareto).sort((a, b) => a.x - b.x);
    const steps = front.map((d, i) => (i ? `H${d.x}V${d.y}` : `M${d.x} ${height - 46}V${d.y}`)).join("");
    const body = html`
      <${YAxis} at=${y} left=${44} right=${width - 14} f="sig" count=${5} title="accuracy" top=${8} />
      <${XAxis} at=${x} top=${20} bottom=${height - 46} y=${height - 30} f="usd" count=${width < 500 ? 4 : 7} title="per 1,000 successes, log scale" />
      ${front.length > 0 && html`<path class="bs thin" d=${`${steps}H${width - 14}`} />`}
      ${dots.map(({ c, x: cx, y: cy }) => html`
        ${c.cost_low > 0 && c.cost_high > 0 && html`<line class="${c.pareto ? "bs" : "box"} soft" x1=${x(c.cost_low * 1000)} x2=${x(c.cost_high * 1000)} y1=${cy} y2=${cy} />`}
        <line class="${c.pareto ? "bs" : "box"} soft" x1=${cx} x2=${cx} y1=${y(c.accuracy_low)} y2=${y(c.accuracy_high)} />`)}
      ${dots.map(({ c, x: cx, y: cy }) => html`<circle class=${c.pareto ? "b" : "hole"} cx=${cx} cy=${cy} r="4.5" />`)}
      ${dots.map((d, i) => html`<text class="${d.c.pareto ? "strong" : ""} ${labels[i].anchor}" x=${labels[i].x} y=${labels[i].y} data-name="">${d.name}</text>`)}`;
    const points = dots.map((d) => ({ x: d.x, y: d.y, card: html`<${Card} c=${d.c} />` })).sort((a, b) => a.x - b.x);
    return { body, points };
  };
  return html`<${Chart} name="pareto" label=${label} height=${height} draw=${draw} />`;
}

function Card({ c }) {
  return html`<b><${Name}>${configName(c)}<//></b><br />
    <${N} of=${c} k="cost_per_success_usd" f="usd1000" /> <${Interval} of=${c} low="cost_low" high="cost_high" f="usd1000" missing="no upper end" /> per 1,000 successes<br />
    accuracy <${N} of=${c} k="accuracy" f="score2" /> <${Interval} of=${c} low="accuracy_low" high="accuracy_high" f="score2" />, <${N} of=${c} k="cases" f="int" /> cases<br />
    <span class="faint">${frontWord(c)}, on it in <${N} of=${c} k="pareto_share" f="pct0" /> of resamplings</span>`;
}
