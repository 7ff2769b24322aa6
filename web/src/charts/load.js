// Response times and rates by load: one line a percentile with its interval as a band, the
// breaking point dashed with what it lies between as a bar, what lies beyond it shaded.
import { html } from "../lib/html.js";
import { autoScale, extent, linear } from "../lib/scale.js";
import { Interval, N } from "../parts/number.js";
import { Chart } from "./chart.js";
import { XAxis, YAxis } from "./axis.js";

const line = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/**
 * Between which loads it breaks. The levels next to the point may each be judged wrongly: one
 * step further on both sides, as the sentence says it.
 */
export const breakEnds = (b) => (b?.breaks ? { low: b.holds / b.precision, high: b.breaks * b.precision } : null);

/** One point a load: [load, the median of what was measured there], as the search comes back to a load. */
function oneALoad(levels, m) {
  return [...new Set(levels.map((l) => l.load))].map((load) => {
    const there = levels.filter((l) => l.load === load).map((l) => l.metrics[m].median).sort((a, b) => a - b);
    return [load, there[Math.floor((there.length - 1) / 2)]];
  });
}

/**
 * levels: [{ load, metrics: { name: metric } }], by load; lines: [[metric, word]].
 * breaking: { load, holds, breaks } on the same axis, or null.
 */
export function LatencyByLoad({ levels, lines, breaking, objective, loadName, height = 240, label }) {
  const draw = (width) => {
    const right = 40;
    const x = linear([0, Math.max(...levels.map((l) => l.load)) * 1.04], [52, width - right]);
    const all = levels.flatMap((l) => lines.flatMap(([m]) => [l.metrics[m]?.median, l.metrics[m]?.median_low, l.metrics[m]?.median_high]));
    const y = autoScale([...all, objective].filter((v) => v > 0), [height - 40, 30]);
    const ends = breakEnds(breaking);
    const beyond = breaking && x(breaking.load) < width - right;
    const places = [];
    const body = html`
      ${beyond && html`<rect class="wz" x=${x(breaking.load)} width=${width - right - x(breaking.load)} y="30" height=${height - 70} />`}
      <${YAxis} at=${y} left=${52} right=${width - right} f="s" count=${6} title="time since due" top=${8} />
      <${XAxis} at=${x} top=${height - 40} bottom=${height - 40} y=${height - 24} f="sig" count=${width < 420 ? 4 : 7} title=${loadName} />
      ${objective && html`<line class="ax dash" x1="52" x2=${width - right} y1=${y(objective)} y2=${y(objective)} /><text class="quiet-t" x="56" y=${y(objective) - 4}>objective <${N} as="tspan" v=${objective} how="the objective of the test" f="s" /></text>`}
      ${lines.map(([m], i) => {
        const there = levels.filter((l) => l.metrics[m]?.median > 0);
        const points = oneALoad(there, m);
        const band = points.length === there.length ? there.filter((l) => l.metrics[m].median_low !== null) : [];
        return html`${band.length > 1 && html`<path class="bandn" d=${`${line(band.map((l) => [x(l.load), y(l.metrics[m].median_high)]))}L${line(band.map((l) => [x(l.load), y(l.metrics[m].median_low)]).reverse()).slice(1)}Z`} />`}
          <path class="line ${i < lines.length - 1 ? "quiet thin" : ""}" d=${line(points.map(([load, v]) => [x(load), y(v)]))} />
          ${there.map((l) => html`<circle class="med" cx=${x(l.load)} cy=${y(l.metrics[m].median)} r="3" />`)}`;
      })}
      ${lines.map(([m, word]) => {
        const last = oneALoad(levels.filter((l) => l.metrics[m]?.median > 0), m).at(-1);
        if (!last) return null;
        let at = Math.min(y(last[1]) + 4, height - 44); // above the axis, and above the label below it
        while (places.some((p) => Math.abs(p - at) < 12)) at -= 12;
        places.push(at);
        return html`<text class="strong" x=${x(last[0]) + 7} y=${at} data-name="">${word}</text>`;
      })}
      ${beyond && html`<line class="ws dash" x1=${x(breaking.load)} x2=${x(breaking.load)} y1="30" y2=${height - 40} /><path class="w" d=${`M${x(breaking.load)} 30l4.5 -8h-9z`} />
        ${ends && html`<line class="ws soft" x1=${x(ends.low)} x2=${x(ends.high)} y1="26" y2="26" />`}
        <text class="wt ${x(breaking.load) > width / 2 ? "end" : ""}" x=${x(breaking.load) + (x(breaking.load) > width / 2 ? -10 : 10)} y="18">breaks at <${N} as="tspan" of=${breaking} k="load" f="sig" />${ends && html` <${Ends} ends=${ends} />`}</text>`}`;
    const points = levels.flatMap((l) => lines.map(([m, word]) => l.metrics[m]?.median > 0 && { x: x(l.load), y: y(l.metrics[m].median), card: html`<b><${N} v=${l.load} how="the load of the phase" /> ${loadName}</b><br /><span data-name="">${word}</span> <${N} of=${l.metrics[m]} k="median" f="s" /> <${Interval} of=${l.metrics[m]} low="median_low" high="median_high" f="s" unitOf=${l.metrics[m].median} missing="too few blocks for an interval" />, n = <${N} of=${l.metrics[m]} k="n" f="int" /> blocks` })).filter(Boolean);
    return { body, points };
  };
  return html`<${Chart} name="latency" label=${label} height=${height} draw=${draw} />`;
}

export const Ends = ({ ends, as = "tspan" }) => html`<${as}>[<${N} as=${as} v=${ends.low} how="the load that held, less one step" f="sig" />, <${N} as=${as} v=${ends.high} how="the load that broke it, and one step" f="sig" />]<//>`;

/** Answers per second by requests in flight: the median and the range of the blocks, and the
 * fitted law. The intervals of its parameters stand in words: their corners make no band. */
export function Throughput({ levels, usl, height = 240, label }) {
  const law = (n, l = usl) => (l.lambda * n) / (1 + l.sigma * (n - 1) + l.kappa * n * (n - 1));
  const draw = (width) => {
    const most = Math.max(...levels.map((l) => l.load));
    const steps = Array.from({ length: 60 }, (_, i) => 1 + ((most * 1.04 - 1) * i) / 59);
    const rates = levels.flatMap((l) => [l.metrics.rate?.median, l.metrics.rate?.max]);
    const top = Math.max(...(extent([...rates, usl ? Math.max(...steps.map((n) => law(n))) : 0]) ?? [0, 1]));
    const x = linear([0, most * 1.04], [52, width - 12]);
    const y = linear([0, top * 1.25], [height - 40, 20]);
    const clampY = (v) => Math.max(20, Math.min(height - 40, y(v)));
    const body = html`
      <${YAxis} at=${y} left=${52} right=${width - 12} f="sig" count=${4} title="answers per second" top=${8} />
      <${XAxis} at=${x} top=${height - 40} bottom=${height - 40} y=${height - 24} f="sig" count=${width < 420 ? 4 : 7} title="requests in flight" />
      ${usl && html`<path class="bs" d=${line(steps.map((n) => [x(n), clampY(law(n))]))} /><path class="ax dash" fill="none" d=${line(steps.filter((n) => usl.lambda * n < top * 1.25).map((n) => [x(n), y(usl.lambda * n)]))} />`}
      ${levels.map((l) => l.metrics.rate?.median > 0 && html`<line class="ci-v" x1=${x(l.load)} x2=${x(l.load)} y1=${y(l.metrics.rate.min)} y2=${y(l.metrics.rate.max)} /><circle class="med" cx=${x(l.load)} cy=${y(l.metrics.rate.median)} r="3.5" />`)}
      ${usl?.peak_load && usl.peak_load <= most && html`<line class="ax dash" x1=${x(usl.peak_load)} x2=${x(usl.peak_load)} y1="20" y2=${height - 40} /><text class="strong ${x(usl.peak_load) > width / 2 ? "end" : ""}" x=${x(usl.peak_load) + (x(usl.peak_load) > width / 2 ? -6 : 6)} y=${height - 48}>peak <${N} as="tspan" of=${usl} k="peak_throughput" f="sig" />/s at <${N} as="tspan" of=${usl} k="peak_load" f="sig" /></text>`}`;
    const points = levels.filter((l) => l.metrics.rate?.median > 0).map((l) => ({ x: x(l.load), y: y(l.metrics.rate.median), card: html`<b><${N} v=${l.load} how="the load of the phase" /> in flight</b><br /><${N} of=${l.metrics.rate} k="median" f="1/s" /> <${Interval} of=${l.metrics.rate} low="median_low" high="median_high" f="sig" missing="too few blocks for an interval" />, n = <${N} of=${l.metrics.rate} k="n" f="int" /> blocks` }));
    return { body, points };
  };
  return html`<${Chart} name="throughput" label=${label} height=${height} draw=${draw} />`;
}

/** Block by block, for the small multiples: p95 of each block of the scenario's phases. */
export function BlockLine({ values, breaksAt, height = 76, label }) {
  const draw = (width) => {
    const known = values.filter((v) => v > 0);
    const y = linear([0, Math.max(...known, 1e-9) * 1.15], [height - 14, 12]);
    const x = linear([0, Math.max(1, values.length - 1)], [4, width - 4]);
    const body = html`<line class="ax" x1="4" x2=${width - 4} y1=${height - 14} y2=${height - 14} />
      ${breaksAt > 0 && html`<rect class="wz" x=${x(breaksAt)} width=${width - 4 - x(breaksAt)} y="8" height=${height - 22} /><line class="ws dash" x1=${x(breaksAt)} x2=${x(breaksAt)} y1="8" y2=${height - 14} />`}
      <path class="line thin" d=${line(values.map((v, i) => [x(i), y(v ?? 0)]).filter((_, i) => values[i] > 0))} />
      <text class="end" x=${width - 4} y="10"><${N} as="tspan" v=${Math.max(...known)} how="largest p95 of a block" f="s" /></text>
      <g data-axis=""><text x="4" y=${height - 2}>block 1</text><text class="end" x=${width - 4} y=${height - 2}>${values.length}</text></g>`;
    return { body };
  };
  return html`<${Chart} name="blocks" label=${label} height=${height} draw=${draw} />`;
}
