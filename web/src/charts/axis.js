// Axes: hairlines at round numbers, the unit once.
import { html } from "../lib/html.js";
import { formatParts, group, sig, timeUnit } from "../lib/format.js";
import { ticksOf } from "../lib/scale.js";

/** Labels of ticks in one unit: [[value, text]], the unit at the one that `unitAt` names. */
export function tickLabels(values, kind, unitAt = 0) {
  const largest = Math.max(...values.map(Math.abs));
  return values.map((v, i) => {
    let [text, unit] = ["", ""];
    if (kind === "s") {
      const [factor, name] = timeUnit(largest >= 1 && Math.min(...values.filter((x) => x > 0)) < 0.05 ? 1e-3 : largest);
      text = plain(v / factor);
      unit = `\u00a0${name}`;
    } else if (kind === "pct") {
      text = plain(v * 100);
      unit = "\u00a0%";
    } else {
      [text, unit] = formatParts(v, kind);
      if (kind === "sig" || !kind || kind === "1") text = plain(v);
    }
    return [v, i === unitAt ? text + unit : text];
  });
}
const plain = (v) => (Math.abs(v) >= 1000 ? group(v) : sig(Number(v.toPrecision(6))).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));

/** Vertical hairlines with labels at `y`. */
export function XAxis({ at, top, bottom, y, f, count = 6, title }) {
  const marks = tickLabels(ticksOf(at, count), f, 0);
  const [start, end] = at.range;
  return html`<g data-axis="">
    ${marks.map(([v]) => html`<line class="gr" x1=${at(v)} x2=${at(v)} y1=${top} y2=${bottom} />`)}
    ${marks.map(([v, text]) => html`<text class="mid" x=${at(v)} y=${y}>${text}</text>`)}
    ${title && html`<text class="mid" x=${(start + end) / 2} y=${y + 15}>${title}</text>`}
  </g>`;
}

/** Horizontal hairlines with labels left of `left`; the unit at the topmost. */
export function YAxis({ at, left, right, f, count = 5, title, top = 0 }) {
  const values = ticksOf(at, count);
  const marks = tickLabels(values, f, values.length - 1);
  return html`<g data-axis="">
    ${title && html`<text x="0" y=${top + 2}>${title}</text>`}
    ${marks.map(([v]) => html`<line class="gr" x1=${left} x2=${right} y1=${at(v)} y2=${at(v)} />`)}
    ${marks.map(([v, text]) => html`<text class="end" x=${left - 8} y=${at(v) + 4}>${text}</text>`)}
  </g>`;
}
