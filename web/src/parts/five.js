// The five scores of two agents: both values, the difference that was tested with its
// interval, and the verdict. Right of the dashed line is in favour of the first.
import { html } from "../lib/html.js";
import { readable } from "../lib/agents.js";
import { linear } from "../lib/scale.js";
import { Card } from "./card.js";
import { Interval, N, Name } from "./number.js";
import { numberColumn, textColumn } from "./table.js";
import { Verdict } from "./verdict.js";
import { Scale, Whisker } from "./whisker.js";

/** The lead of A as drawn: in its favour to the right; ratios by their logarithms. */
function favour(m) {
  const { value, low, high } = m.lead;
  if (value === null) return null;
  const place = (v) => (m.effect.kind !== "ratio" ? v : v > 0 ? Math.log(v) : null);
  return { value: place(value), low: place(low), high: place(high) };
}

/** The verdict is of B: worse means that A wins. The mark is that of the word. */
export function DuelVerdict({ m, a, b }) {
  if (m.verdict === "worse") return html`<${Verdict} kind="better"><${Name} class="cut" title=${a}>${a}<//> better<//>`;
  if (m.verdict === "better") return html`<${Verdict} kind="better"><${Name} class="cut" title=${b}>${b}<//> better<//>`;
  return html`<${Verdict} kind=${m.verdict} />`;
}
const kindOfVerdict = { worse: "better", better: "worse", equivalent: "equivalent", undecided: "undecided" };

const reach = (list) => Math.max(...list.flatMap((f) => (f ? [Math.abs(f.low ?? f.value), Math.abs(f.high ?? f.value)] : [])), 1e-9);

function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 1.5, 2, 3, 4, 5, 8, 10].find((m) => m * power >= x * 0.999) * power;
}

const brief = (name) => (name.length > 9 ? `${name.slice(0, 8)}…` : name);

function Group({ title, metrics, a, b, kind }) {
  if (!metrics.length) return null;
  const favours = metrics.map(favour);
  const far = kind === "ratio" ? Math.log(Math.min(100, roundUp(Math.exp(reach(favours))))) : roundUp(reach(favours));
  const at = linear([-far, far], [0, 100]);
  const end = kind === "ratio" ? `${Number(Math.exp(far).toPrecision(2))}×` : `+${Number(far.toPrecision(2))}`;
  return html`
    <tr class="head"><td colspan="3">${title}</td><td class="full"><${Scale} at=${at} marks=${[[-far, `${brief(b)} ${end}`], [0, kind === "ratio" ? "1" : "0"], [far, `${brief(a)} ${end}`]]} /></td><td class="hide-s"></td><td class="hide-s"></td><td class="hide-s"></td></tr>
    ${metrics.map(
      (m, i) => html`<tr>
        <td class="c1"><b>${m.metric}</b></td>
        <td class="num" data-l=${a}><${N} of=${m} k="agent_a_score" f="score" /></td>
        <td class="num" data-l=${b}><${N} of=${m} k="agent_b_score" f="score" /></td>
        <td class="fx full">${favours[i] && html`<${Whisker} ...${favours[i]} at=${at} zero=${0} kind=${kindOfVerdict[m.verdict]} verdictName=${m.verdict} />`}</td>
        <td class="ef"><${N} of=${m.lead} k="value" f=${kind === "ratio" ? "ratio" : "signed3"} /> <${Interval} of=${m.lead} f=${kind === "ratio" ? "sig" : "signed3"} missing="too few for an interval" />${m.verdict === "undecided" && m.mde !== null && html`<span class="faint small block">below <${N} of=${m} k="mde" f="sig" /> hardly seen</span>`}</td>
        <td class="vd"><${DuelVerdict} m=${m} a=${a} b=${b} /></td>
        <td class="num small" data-l="n, p"><${N} of=${m} k="n" f="int" />, <${N} of=${m} k="p" f="p" /></td>
      </tr>`,
    )}`;
}

/** Without the version where the names alone tell them apart. */
function shortNames(a, b) {
  const [x, y] = [a.split("@")[0], b.split("@")[0]];
  return x === y ? [readable(a), readable(b)] : [x, y];
}

export function FiveScores({ versus }) {
  const [a, b] = shortNames(versus.agent_a.agent_name, versus.agent_b.agent_name);
  const all = [...versus.detailed_metrics, versus.overall];
  const isRatio = (m) => m.effect?.kind === "ratio";
  const table = {
    rows: all,
    columns: [
      textColumn("score", (m) => m.metric),
      numberColumn(a, "agent_a_score", "score"),
      numberColumn(b, "agent_b_score", "score"),
      textColumn("compared", (m) => m.compared),
      numberColumn(`lead of ${a}`, "value", "sig", (m) => m.lead),
      numberColumn("low", "low", "sig", (m) => m.lead),
      numberColumn("high", "high", "sig", (m) => m.lead),
      textColumn(`verdict of ${b}`, (m) => m.verdict),
      numberColumn("n", "n", "int"),
      numberColumn("p", "p", "p"),
      numberColumn("smallest visible", "mde", "sig"),
    ],
  };
  return html`<${Card} title="Five scores" sub=${html`lead of <${Name} class="cut" title=${a}>${a}<//>; dot right of the dashed line: in its favour`} table=${table} flush
    note="Pairs by case; each score is a question of its own. An undecided score names the smallest difference that these cases would have shown.">
    <table class="five fold"><caption class="sr">Five scores of both agents with differences and verdicts</caption>
      <thead><tr><th>score</th><th class="num"><${Name} class="cut" title=${a}>${a}<//></th><th class="num"><${Name} class="cut" title=${b}>${b}<//></th><th>lead, 95 % interval</th><th></th><th>verdict</th><th class="num">n, p</th></tr></thead>
      <tbody>
        <${Group} title="compared by ratio" kind="ratio" metrics=${all.filter(isRatio)} a=${a} b=${b} />
        <${Group} title="compared in points" kind="difference" metrics=${all.filter((m) => !isRatio(m))} a=${a} b=${b} />
      </tbody>
    </table>
  <//>`;
}
