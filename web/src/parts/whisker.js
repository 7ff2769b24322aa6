// Dot and whisker in a table's cell, and the scale for the column's head.
import { html } from "../lib/html.js";
import { format } from "../lib/format.js";

const clamp = (v) => Math.min(100, Math.max(0, v));

/**
 * `at`: a scale to 0..100 (lib/scale.js); `zero`: where nothing differs. An interval that
 * leaves the scale fades out there.
 */
export function Whisker({ value, low, high, at, kind = "", mini = false, zero, f = "sig", verdictName = "" }) {
  if (value === null || value === undefined) return null;
  const has = typeof low === "number" && typeof high === "number";
  const name = has ? `${format(value, f)}, 95 % interval ${format(low, f, value)} to ${format(high, f, value)}` : format(value, f);
  const [left, right] = has ? [at(low), at(high)] : [0, 0];
  const edges = `${left < -0.01 ? "more-left" : ""} ${right > 100.01 ? "more-right" : ""}`;
  return html`<span class="wk ${kind} ${mini ? "mini" : ""}" role="img" aria-label=${verdictName ? `${name}, ${verdictName}` : name}>
    ${zero !== undefined && html`<u style=${{ left: `${clamp(at(zero))}%` }}></u>`}
    ${has && html`<i class=${edges} style=${{ left: `${clamp(left)}%`, width: `${Math.max(0.4, clamp(right) - clamp(left))}%` }}></i>`}
    <b style=${{ left: `${clamp(at(value))}%` }}></b>
  </span>`;
}

export function Scale({ marks, at }) {
  return html`<span class="scale" aria-hidden="true" data-axis="">
    ${marks.map(
      ([v, label], i) =>
        html`<span class=${i === 0 ? "first" : i === marks.length - 1 ? "last" : ""} style=${{ left: `${clamp(at(v))}%` }}>${label}</span>`,
    )}
  </span>`;
}
