// Five scores of some agents as a radar. People misread areas: the same as parallel bars
// is one click away, and the dots are what counts.
import { html } from "../lib/html.js";
import { SCORES } from "../lib/rank.js";
import { format } from "../lib/format.js";
import { Interval, N } from "../parts/number.js";
import { Chart } from "./chart.js";

const SHAPE = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x} ${y - r * 1.3}l${r * 1.2} ${r * 2.2}h${-2.4 * r}z`,
  (x, y, r) => `M${x} ${y - r * 1.3}l${r * 1.3} ${r * 1.3}l${-r * 1.3} ${r * 1.3}l${-r * 1.3} ${-r * 1.3}z`,
  (x, y, r) => `M${x} ${y + r * 1.3}l${r * 1.2} ${-r * 2.2}h${-2.4 * r}z`,
  (x, y, r) => `M${x - r * 1.3} ${y - r / 2}h${2.6 * r}v${r}h${-2.6 * r}z`,
];
/** The sign of series i: colour never comes alone. */
export const sign = (i, x, y, r = 3.5) => SHAPE[i % SHAPE.length](x, y, r);

const corner = (i, r, cx, cy) => {
  const turn = (i / SCORES.length) * 2 * Math.PI - Math.PI / 2;
  return [cx + r * Math.cos(turn), cy + r * Math.sin(turn)];
};

export function Radar({ rows, name }) {
  const said = (score) => (typeof score === "number" ? format(score, "score") : "missing");
  const label = `Five scores from 0 to 1: ${rows.map((r) => `${name(r)} ${SCORES.map((s) => `${s} ${said(r.scores[s]?.score)}`).join(", ")}`).join("; ")}`;
  const draw = (width) => {
    const r = Math.min(width / 2 - 62, 112);
    const [cx, cy] = [width / 2, r + 26];
    const points = [];
    const polygon = (values) => values.map((v, i) => corner(i, r * v, cx, cy).map((x) => x.toFixed(1)).join(",")).join(" ");
    const body = html`
      ${[0.25, 0.5, 0.75, 1].map((v) => html`<polygon class="ring" points=${polygon(SCORES.map(() => v))} />`)}
      ${SCORES.map((s, i) => {
        const [x, y] = corner(i, r + 12, cx, cy);
        return html`<text x=${x} y=${y + 4} class=${Math.abs(x - cx) < 4 ? "mid" : x < cx ? "end" : ""}>${s}</text>`;
      })}
      ${rows.map((row, j) => {
        const values = SCORES.map((s) => row.scores[s]?.score ?? null);
        const isWhole = values.every((v) => v !== null); // what is missing is not 0: no area then
        return html`${isWhole && html`<polygon class="a${j + 1}" points=${polygon(values)} /><polygon class="line thin s${j + 1}" points=${polygon(values)} />`}
          ${values.map((v, i) => {
            if (v === null) return null;
            const [x, y] = corner(i, r * v, cx, cy);
            points.push({ x, y, card: html`<b data-name="">${name(row)}</b><br />${SCORES[i]} <${N} of=${row.scores[SCORES[i]]} k="score" f="score" /> <${Interval} of=${row.scores[SCORES[i]]} f="score2" />` });
            return html`<path class="f${j + 1}" d=${sign(j, x, y)} />`;
          })}`;
      })}`;
    return { body, points };
  };
  return html`<${Chart} name="radar" label=${label} height=${(w) => Math.min(w / 2 - 62, 112) * 1.9 + 48} draw=${draw} />`;
}
