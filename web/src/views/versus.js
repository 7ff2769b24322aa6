// Two agents head to head: does one beat the other, by which scores, and in which cases.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { link, setParams } from "../lib/url.js";
import { Answer, Sentence } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { CaseGrid } from "../parts/grid.js";
import { FiveScores } from "../parts/five.js";
import { N, Name, T } from "../parts/number.js";
import { Pick } from "../parts/pick.js";
import { Profile } from "../parts/profile.js";
import { Empty, Failed, Loading, whenThere } from "../parts/state.js";
import { readable, selectorOf, selectorsOf } from "../lib/agents.js";
import { asked, useInAddress, useRankedSuite } from "../lib/suite.js";
import { plural } from "../lib/format.js";

export function Versus({ params }) {
  const { suite, board } = useRankedSuite(asked(params.suite), { since: params.since ?? "30d", limit: 0 });
  const suites = useGet("/benchmarks/suites?all=true");
  useInAddress(asked(params.suite) || undefined, board.data && suite);
  return whenThere([board], (data) => {
    if (selectorsOf(data.rows).length < 2 && !(params.a && params.b)) {
      return html`<${Empty} title="Head-to-head needs two agents with results on one suite." command="assay run specs/demo.yaml --stub" />`;
    }
    return html`<${Pair} board=${data} suites=${suites.data} params=${{ ...params, suite }} />`;
  });
}

function Pair({ board, suites, params }) {
  const names = selectorsOf(board.rows);
  const a = params.a ?? names[0];
  const b = params.b ?? names.find((n) => n !== a);
  const answer = useGet(address("/benchmarks/versus", { a, b, suite: params.suite }));
  const bar = html`<${Where} a=${a} b=${b} names=${names} suites=${suites} params=${params} suite=${answer.data?.suite} />`;
  if (answer.error) return html`<${Answer} where=${bar}><h1>These two cannot be compared</h1><//><${Failed} error=${answer.error} again=${answer.again} />`;
  if (!answer.data) return html`<${Answer} where=${bar} /><${Loading} />`;
  const versus = answer.data;
  // an agent with several prompts has a row for each, and no profile of all of them
  const rows = [a, b].map((name) => board.rows.filter((r) => selectorOf(r) === name)).filter((of) => of.length === 1).flat();
  return html`
    <${Answer} where=${bar} three=${threeAnswers(versus)}><${Sentence} of=${versus.sentence ? versus : versus.overall} /><//>
    <div class="cols side stretch">
      <${FiveScores} versus=${versus} />
      ${rows.length === 2 && html`<${Profile} rows=${rows} params=${params} fixed compact />`}
    </div>
    <${CaseGrid} versus=${versus} a=${a} b=${b} params=${params} />
    ${versus.notes.length > 0 && html`<${Card} title="What to know about these numbers"><ul class="plainlist small muted">${versus.notes.map((_, i) => html`<${T} as="li" of=${versus.notes} k=${i} />`)}</ul><//>`}
  `;
}

function Where({ a, b, names, suites, params, suite }) {
  const list = (suites?.suites ?? []).map((s) => s.name);
  const options = [...new Set([...names, a, b])].map((n) => [n, readable(n)]);
  return html`
    <span>Head-to-head on</span>
    ${list.length > 1 ? html`<${Pick} label="Suite" hidden param="suite" value=${params.suite ?? suite ?? ""} options=${list} />` : html`<b><${Name}>${suite ?? ""}<//></b>`}
    <${Pick} label="First agent" hidden param="a" value=${a} options=${options} />
    <span>against</span>
    <${Pick} label="Second agent" hidden param="b" value=${b} options=${options} />
    <button class="link" onClick=${() => setParams({ a: b, b: a })}>swap</button>
    <a href=${link("compare", { agents: [a, b].join(",") })}>more agents</a>`;
}

/** Nothing to show is no link. */
function Flips({ flips }) {
  const both = flips.only_a_passes + flips.only_b_passes;
  const words = html`<${N} v=${both} how="only_a_passes + only_b_passes" f="int" /> ${plural(both, "case")} passed by one of them`;
  return both > 0 ? html`<button class="link" onClick=${() => setParams({ show: "flipped" }, { replace: true })}>${words}</button>` : words;
}

function threeAnswers(v) {
  const decided = v.detailed_metrics.filter((m) => m.verdict !== "undecided");
  const open = v.detailed_metrics.filter((m) => m.verdict === "undecided");
  const list = (metrics) => metrics.map((m) => html`<span class="block"><${T} of=${m} k="sentence" /></span>`);
  const flips = v.mcnemar;
  return [
    ["Decided", decided.length ? list(decided.slice(0, 2)) : "No score is decided between them.", decided.length > 2 && list(decided.slice(2))],
    ["Not decided", open.length ? list(open.slice(0, 2)) : "Nothing is open.", open[0]?.next && html`To settle ${open[0].metric}: <${T} of=${open[0]} k="next" />.`],
    ["Look at next",
      html`<${Flips} flips=${flips} />: <${N} of=${flips} k="only_a_passes" f="int" /> only by <${Name}>${readable(v.agent_a.agent_name)}<//>, <${N} of=${flips} k="only_b_passes" f="int" /> only by <${Name}>${readable(v.agent_b.agent_name)}<//>`,
      v.recommendations[0] && html`<${T} of=${v.recommendations} k=${0} />`],
  ];
}
