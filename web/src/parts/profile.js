// The five scores of chosen agents, as a radar and as parallel bars.
import { html } from "../lib/html.js";
import { linear } from "../lib/scale.js";
import { SCORES } from "../lib/rank.js";
import { setParams } from "../lib/url.js";
import { Radar, sign } from "../charts/radar.js";
import { agentName } from "./board.js";
import { Card } from "./card.js";
import { Interval, N, Name } from "./number.js";
import { Segments } from "./pick.js";
import { numberColumn, textColumn } from "./table.js";
import { Scale, Whisker } from "./whisker.js";

const MOST = 6; // colours that can be told apart

export function chosenRows(rows, text, most = 3) {
  const names = (text ?? "").split(",").filter(Boolean);
  const picked = names.length ? rows.filter((r) => names.includes(agentName(r))) : rows.slice(0, most);
  return picked.slice(0, MOST);
}

export const Sign = ({ i }) => html`<svg class="ch sign" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><path class="f${i + 1}" d=${sign(i, 6, 6, 4)} /></svg>`;

function Bars({ rows }) {
  const at = linear([0, 1], [0, 100]);
  return html`<div class="parallel">
    ${SCORES.map(
      (s) => html`<div>
        <h3>${s}</h3>
        <${Scale} at=${at} marks=${[[0, "0"], [0.5, "0.5"], [1, "1"]]} />
        ${rows.map(
          (row) => html`<div class="one"><span class="who"><${Name}>${agentName(row)}<//></span>
            ${row.scores[s]?.score === undefined || row.scores[s].score === null
              ? html`<span class="faint">missing</span>`
              : html`<${Whisker} value=${row.scores[s].score} low=${row.scores[s].low} high=${row.scores[s].high} at=${at} f="score" />
                  <span class="small"><${N} of=${row.scores[s]} k="score" f="score" /> <span class="faint"><${Interval} of=${row.scores[s]} f="score2" /></span></span>`}
          </div>`,
        )}
      </div>`,
    )}
  </div>`;
}

/** `fixed`: the rows are chosen by the view (head-to-head) and not by chips. */
export function Profile({ rows, params, fixed = false, compact = false }) {
  const chosen = fixed ? rows : chosenRows(rows, params.agents);
  const form = params.profile ?? (compact ? "radar" : "both");
  const table = {
    rows: chosen,
    columns: [textColumn("agent", agentName), ...SCORES.flatMap((s) => [numberColumn(s, "score", "score", (r) => r.scores[s]), numberColumn(`${s} low`, "low", "score2", (r) => r.scores[s]), numberColumn(`${s} high`, "high", "score2", (r) => r.scores[s])])],
  };
  const toggle = (name) => {
    const now = chosen.map(agentName);
    const next = now.includes(name) ? now.filter((n) => n !== name) : [...now, name].slice(-MOST);
    if (next.length) setParams({ agents: next.join(",") }, { replace: true });
  };
  const options = compact ? [["radar", "Radar"], ["bars", "Bars"]] : [["both", "Both"], ["radar", "Radar"], ["bars", "Bars"]];
  return html`<${Card} title="Profile" sub=${compact ? null : "the five scores of chosen agents; bars carry their 95 % intervals"} table=${table} drawn
    tools=${!compact && html`<${Segments} label="Form" param="profile" value=${form} options=${options} />`}>
    ${compact && html`<${Segments} label="Form" param="profile" value=${form} options=${options} />`}
    ${!fixed &&
    html`<div class="chips" role="group" aria-label="Agents shown">${rows.map((row) => {
      const i = chosen.indexOf(row);
      return html`<button class="chip who" aria-pressed=${i >= 0 ? "true" : "false"} onClick=${() => toggle(agentName(row))}>${i >= 0 && html`<${Sign} i=${i} />`}<${Name}>${agentName(row)}<//></button>`;
    })}</div>`}
    <div class=${form === "both" ? "cols radar-bars" : ""}>
      ${form !== "bars" && html`<div><${Radar} rows=${chosen} name=${agentName} />
        ${fixed && html`<p class="keys">${chosen.map((row, i) => html`<span><${Sign} i=${i} /> <${Name}>${agentName(row)}<//></span>`)}</p>`}</div>`}
      ${form !== "radar" && html`<${Bars} rows=${chosen} />`}
    </div>
  <//>`;
}
