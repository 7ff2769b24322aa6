// The five scores of each cell of a suite's run.
import { html } from "../lib/html.js";
import { cellName } from "../lib/report.js";
import { SCORES } from "../lib/rank.js";
import { linear } from "../lib/scale.js";
import { Card } from "./card.js";
import { Interval, N, Name } from "./number.js";
import { numberColumn, textColumn } from "./table.js";
import { Simulated } from "./verdict.js";
import { Whisker } from "./whisker.js";

const at = linear([0, 1], [0, 100]);

function Cell({ score, name }) {
  if (score.score === null) return html`<td class="sc" data-l=${name} title=${score.reason}><span class="faint">–</span></td>`;
  return html`<td class="sc" data-l=${name} title=${`${score.formula}, interval: ${score.interval}`}><${N} of=${score} k="score" f="score" /> <span class="faint micro"><${Interval} of=${score} f="score2" /></span>
    <${Whisker} mini value=${score.score} low=${score.low} high=${score.high} at=${at} f="score" /></td>`;
}

export function ScoreTable({ cells }) {
  const scored = cells.filter((c) => c.scores);
  if (!scored.length) return null;
  const all = ["overall", ...SCORES];
  const table = {
    rows: scored,
    columns: [
      textColumn("benchmark", (c) => c.scores.benchmark),
      textColumn("agent", cellName),
      ...all.flatMap((s) => [numberColumn(s, "score", "score", (c) => c.scores[s]), numberColumn(`${s} low`, "low", "score2", (c) => c.scores[s]), numberColumn(`${s} high`, "high", "score2", (c) => c.scores[s])]),
      numberColumn("n", "n", "int", (c) => c.scores.overall),
    ],
  };
  let last = null;
  return html`<${Card} title="Scores" sub="0 to 1 with 95 % interval over cases" table=${table} flush>
    <table class="fold scores"><caption class="sr">Scores of each agent on each benchmark</caption>
      <thead><tr><th>agent</th>${all.map((s) => html`<th>${s}</th>`)}<th class="num">n</th></tr></thead>
      <tbody>${scored.map((c) => {
        const head = c.scores.benchmark !== last;
        last = c.scores.benchmark;
        return html`${head && html`<tr class="head"><td colspan=${all.length + 2}><b><${Name}>${last}<//></b></td></tr>`}
          <tr><td><b><${Name}>${cellName(c)}<//></b> ${c.provenance === "simulated" && html`<${Simulated} />`}</td>
            ${all.map((s) => html`<${Cell} score=${c.scores[s]} name=${s} />`)}
            <td class="num" data-l="cases"><${N} of=${c.scores} k="cases" f="int" /></td></tr>`;
      })}</tbody></table>
  <//>`;
}
