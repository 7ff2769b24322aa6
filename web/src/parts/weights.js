// The weight sliders. Ranks follow while one is dragged; the server is asked when it is
// let go, since it alone knows intervals and ties; a published copy leaves it at the ranks.
import { html } from "../lib/html.js";
import { SCORES, shiftWeights, weightsText } from "../lib/rank.js";
import { isSite } from "../lib/site.js";
import { setParams } from "../lib/url.js";
import { agentName, apart } from "./board.js";
import { N, Name } from "./number.js";
import { Card } from "./card.js";

export function Weights({ weights, board, onMove }) {
  const total = SCORES.reduce((sum, s) => sum + weights[s], 0) || 1;
  const shares = Object.fromEntries(SCORES.map((s) => [s, weights[s] / total]));
  const rivals = board.rows.filter((r) => !apart(r, board.rows[0])); // others are ranked among themselves
  const winners = rivals.filter((r) => r.first_share > 0).sort((a, b) => b.first_share - a.first_share);
  const settle = () => !isSite && setParams({ weights: weightsText(shares) }, { replace: true });
  const reset = () => {
    onMove(null);
    setParams({ weights: "" }, { replace: true });
  };
  return html`<${Card} title="Weights" tools=${html`<button class="link" onClick=${reset}>Reset</button>`}>
    <p class="cap first">Move one and the ranks follow.</p>
    ${SCORES.map(
      (s) => html`<div class="slider">
        <label for="w-${s}">${s}</label>
        <input id="w-${s}" type="range" min="0" max="100" step="1" value=${Math.round(shares[s] * 100)} style=${{ "--v": `${shares[s] * 100}%` }}
          aria-valuetext=${`${Math.round(shares[s] * 100)} %`}
          onInput=${(e) => onMove(shiftWeights(shares, s, Number(e.target.value) / 100))} onChange=${settle} />
        <output for="w-${s}"><${N} v=${shares[s]} how="share of the weights" f="pct0" /></output>
      </div>`,
    )}
    <div class="winners">
      <div class="stack" aria-hidden="true">${winners.map((r) => html`<i style=${{ width: `${r.first_share * 100}%` }}></i>`)}</div>
      <p class="cap">Over all weightings: ${winners.map((r, i) => html`${i > 0 && ", "}<b><${Name}>${agentName(r)}<//></b> first in <${N} of=${r} k="first_share" f="pct0" />`)}${
        winners.length < rivals.length ? ", others never." : "."}</p>
    </div>
  <//>`;
}
