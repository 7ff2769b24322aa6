// The leaderboard: ranks with brackets around those whose order is not decided, the
// overall score and the five of which it is made, each with its interval.
import { html } from "../lib/html.js";
import { link, setParams } from "../lib/url.js";
import { linear, ticks } from "../lib/scale.js";
import { SCORES } from "../lib/rank.js";
import { N, Name } from "./number.js";
import { numberColumn, textColumn } from "./table.js";
import { Scale, Whisker } from "./whisker.js";
import { Simulated } from "./verdict.js";

const part = (name) => (row) => row.scores[name];

/** The same content as a plain table, and as CSV. */
export const boardTable = (rows) => ({
  rows,
  columns: [
    numberColumn("rank", "overall_rank", "int"),
    textColumn("agent", (row) => agentName(row)),
    numberColumn("rank from", "rank_low", "int"),
    numberColumn("rank to", "rank_high", "int"),
    numberColumn("tie group", "tie_group", "int"),
    numberColumn("overall", "overall_score", "score"),
    numberColumn("low", "overall_low", "score2"),
    numberColumn("high", "overall_high", "score2"),
    ...SCORES.flatMap((s) => [
      numberColumn(s, "score", "score", part(s)),
      numberColumn(`${s} low`, "low", "score2", part(s)),
      numberColumn(`${s} high`, "high", "score2", part(s)),
    ]),
    numberColumn("first in", "first_share", "pct0"),
    numberColumn("executions", "executions", "int"),
  ],
});

export const agentName = (row) => [row.agent_name, row.agent_version, row.prompt && `prompt ${row.prompt}`].filter(Boolean).join(" ");

const inGroup = (row, group) => Boolean(row) && (row.tie_groups ?? []).includes(group);

/** Groups may overlap: one that does stands a step to the left of the one before it. */
function laneOf(rows, group) {
  const first = rows.findIndex((r) => inGroup(r, group));
  const shared = (rows[first]?.tie_groups ?? []).some((g) => g < group);
  return shared ? 1 - laneOf(rows, group - 1) : 0;
}

/** A bracket for each group of the row: "a" where it begins, "z" where it ends, else through. */
function brackets(rows, i) {
  return (rows[i].tie_groups ?? []).map((group) => {
    const begins = !inGroup(rows[i - 1], group) || apart(rows[i], rows[i - 1]);
    const ends = !inGroup(rows[i + 1], group) || apart(rows[i + 1], rows[i]);
    return html`<i class="on ${begins ? "a" : ""} ${ends ? "z" : ""} lane${laneOf(rows, group)}"></i>`;
  });
}

function Rank({ row, place, moved, hasMedal }) {
  const number = moved
    ? html`<${N} v=${place} how="rank with the weights being moved" f="int" />`
    : html`<${N} of=${row} k="overall_rank" f="int" />`;
  return hasMedal && place >= 1 && place <= 3 ? html`<span class="medal m${place}">${number}</span>` : html`<span class="place">${number}</span>`;
}

function RankRange({ row, moved }) {
  if (moved) return html`<span class="faint small rk">moving …</span>`;
  if (row.rank_low === null) return html`<span class="faint small rk">not ranked</span>`;
  if (row.rank_low === row.rank_high) return html`<span class="faint small rk">rank <${N} of=${row} k="rank_low" f="int" /></span>`;
  return html`<span class="faint small rk" title=${row.sentence}>rank <${N} of=${row} k="rank_low" f="int" />–<${N} of=${row} k="rank_high" f="int" /></span>`;
}

function Score({ row, name, best, at }) {
  const score = row.scores[name];
  return html`<td class="sc ${best ? "best" : ""}" data-l=${name}>
    ${score && score.score !== null
      ? html`<${N} of=${score} k="score" f="score" class="n" /><${Whisker} mini value=${score.score} low=${score.low} high=${score.high} at=${at} f="score" />`
      : html`<span class="faint" title=${`missing: ${name}`}>–</span>`}
  </td>`;
}

const bests = (rows) => {
  const out = {};
  for (const s of SCORES) {
    const values = rows.map((row) => row.scores[s]?.score).filter((v) => typeof v === "number");
    const most = Math.max(...values);
    // bold says who leads: where all are equal, nobody does
    out[s] = values.filter((v) => v === most).length < values.length ? most : null;
  }
  return out;
};

/** Overalls of other parts are other things: such rows are ranked among themselves. */
export const apart = (row, before) => String(row.missing) !== String(before.missing);

/** `metric`: what it is sorted by; `moved`: rows have the overall of moving weights. */
export function Board({ rows, metric, moved, selected, onSelect, simulated }) {
  const low = Math.min(...rows.map((r) => r.overall_low ?? r.overall_score ?? 1));
  const from = Math.max(0, Math.floor(low * 5 - 0.3) / 5);
  const at = linear([from, 1], [0, 100]);
  const full = linear([0, 1], [0, 100]);
  const best = bests(rows);
  const second = rows.findIndex((row, i) => i > 0 && apart(row, rows[i - 1])); // where another ranking begins
  const sorter = (name) => html`<button class="sort" onClick=${() => setParams({ metric: name === "overall" ? "" : name }, { replace: true })}>${name}</button>`;
  const sorted = (name) => (metric === name ? "descending" : undefined);
  return html`<table class="board fold">
    <caption class="sr">Leaderboard: rank, overall score and the five scores of each agent</caption>
    <thead><tr>
      <th class="tie"><span class="sr">tie group</span></th><th>rank</th><th>agent</th>
      <th aria-sort=${sorted("overall")}><span class="ov-head"><span>${sorter("overall")}</span><${Scale} at=${at} marks=${ticks([from, 1], 2).map((v) => [v, String(v)])} /></span></th>
      ${SCORES.map((s) => html`<th class="sc" aria-sort=${sorted(s)}>${sorter(s)}</th>`)}
      <th class="num" title="share of all weightings in which this agent is first">first in</th>
    </tr></thead>
    <tbody>
      ${rows.map(
        (row, i) => html`${!moved && i > 0 && apart(row, rows[i - 1]) && html`<tr class="head"><td colspan="10">${row.overall_rank === null ? "not ranked: no measured success" : html`ranked apart: other scores are missing here (<${Name}>${(row.missing ?? []).join(", ") || "none"}<//>)`}</td></tr>`}<tr key=${row.agent_id + agentName(row)} aria-selected=${selected === i ? "true" : undefined} onClick=${() => onSelect?.(i)}>
          <td class="tie">${!moved && brackets(rows, i)}</td>
          <td class="rank"><${Rank} row=${row} place=${moved ? i + 1 : row.overall_rank} moved=${moved} hasMedal=${moved || second < 0 || i < second} /></td>
          <td class="nm"><a class="agent" href=${link("agents", { agent: row.agent_name })}><${Name}>${agentName(row)}<//></a> ${simulated?.has(row.agent_name) && html`<${Simulated} />`}<${RankRange} row=${row} moved=${moved} /></td>
          <td class="ov" data-l="overall"><span class="ov-cell"><b>${moved
            ? html`<${N} v=${row.moved} how="weighted mean of the five scores" f="score" />`
            : html`<${N} of=${row} k="overall_score" f="score" />`}</b>
            <${Whisker} value=${moved ? row.moved : row.overall_score} low=${moved ? null : row.overall_low} high=${moved ? null : row.overall_high} at=${at} f="score" /></span></td>
          ${SCORES.map((s) => html`<${Score} row=${row} name=${s} best=${best[s] !== null && row.scores[s]?.score === best[s]} at=${full} />`)}
          <td class="num fs" data-l="first in"><span class="meter"><i style=${{ width: `${(row.first_share ?? 0) * 100}%` }}></i></span><${N} of=${row} k="first_share" f="pct0" class="pc" /></td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}
