// The first screen: who is best, by how much, how sure; what got worse; what to look at.
import { useRef, useState } from "preact/hooks";
import { html } from "../lib/html.js";
import { address, useGet, useStoreEvents } from "../lib/api.js";
import { isSite } from "../lib/site.js";
import { readable, selectorOf } from "../lib/agents.js";
import { overall, readWeights } from "../lib/rank.js";
import { asked, useInAddress, useRankedSuite } from "../lib/suite.js";
import { plural } from "../lib/format.js";
import { link, setParams } from "../lib/url.js";
import { Answer, Sentence } from "../parts/answer.js";
import { Board, agentName, boardTable } from "../parts/board.js";
import { Card } from "../parts/card.js";
import { Count, N, Name, T, When } from "../parts/number.js";
import { Pick } from "../parts/pick.js";
import { Profile } from "../parts/profile.js";
import { About, Changes, ChangeCounts, Step, gather } from "../parts/changes.js";
import { RunList } from "../parts/runlist.js";
import { Empty, Failed, whenThere } from "../parts/state.js";
import { Weights } from "../parts/weights.js";
import { useKeys } from "../lib/keys.js";

const SINCE = [["7d", "Last 7 days"], ["30d", "Last 30 days"], ["90d", "Last 90 days"], ["all", "All time"]];

const question = (params) => ({
  suite: asked(params.suite),
  category: params.category,
  metric: params.metric,
  since: params.since ?? "30d",
  weights: isSite ? "" : params.weights,
  limit: params.limit,
});

export function Overview({ params: given }) {
  const suites = useGet("/benchmarks/suites?all=true");
  const found = useRankedSuite(given.suite, question(given), 1);
  const params = { ...given, suite: found.suite };
  useInAddress(given.suite, found.board.data && found.suite);
  const board = useKept(found.board, JSON.stringify({ ...question(params), weights: "" }));
  if (suites.error) return html`<${Failed} error=${suites.error} again=${suites.again} />`;
  return whenThere([board], (data) =>
    data.rows.length ? html`<${Ranked} board=${data} params=${params} again=${board.again} />` : html`<${Nothing} board=${data} params=${params} suites=${suites.data} />`,
  );
}

/** While the server ranks by other weights, the ranking before: what the reader holds stays where it is. */
function useKept(answer, key) {
  const last = useRef(null);
  if (answer.data) last.current = { key, data: answer.data };
  return !answer.data && !answer.error && last.current?.key === key ? { ...answer, data: last.current.data } : answer;
}

/** The choice stays where it was, and what was measured but not ranked says why. */
function Nothing({ board, params, suites }) {
  if ((params.suite && params.suite !== "all") || params.category) {
    const hasMore = (board.left_out ?? []).some((o) => o.executions > 0);
    return html`<${Answer} where=${html`<${Where} board=${board} params=${params} suites=${suites} />`}><h1>Nothing is ranked for this choice</h1><//>
      <div class="card empty">${hasMore ? html`<span><${LeftOut} board=${board} /></span>` : "No agent has a measured success in it."}
        <button class="btn" onClick=${() => setParams({ suite: "all", category: "", since: "all" })}>Show all suites and times</button></div>`;
  }
  return html`<${Empty} title="No results yet. These commands fill this store:" command=${"assay run specs/demo.yaml --stub\nassay leaderboard"} />`;
}

function Ranked({ board, params, again }) {
  const [moving, setMoving] = useState(null);
  const [at, setAt] = useState(-1);
  const suites = useGet("/benchmarks/suites?all=true");
  const runs = useGet(address("/benchmarks/runs", { limit: 30 }));
  const ofSuite = useGet(asked(params.suite) ? address("/benchmarks/runs", { limit: 20, suite: params.suite }) : null);
  useStoreEvents(() => (runs.again(), ofSuite.again(), again()));
  const versus = useVersus(board, asked(params.suite) || onlySuite(suites.data));
  const changes = useChanges(asked(params.suite) ? ofSuite.data : runs.data);
  const weights = moving ?? readWeights(params.weights, board.weights);
  const isMoved = moving !== null && !sameWeights(moving, board.weights);
  const rows = isMoved
    ? board.rows.map((row) => Object.assign(Object.create(row), { moved: overall(row, moving) })).sort((a, b) => b.moved - a.moved)
    : board.rows;
  useKeys({
    j: () => setAt((n) => Math.min(rows.length - 1, n + 1)),
    k: () => setAt((n) => Math.max(0, n - 1)),
    Enter: () => (at < 0 ? false : (location.hash = link("agents", { agent: rows[at].agent_name }))),
    Escape: () => setAt(-1),
  });
  return html`
    <${Answer} where=${html`<${Where} board=${board} params=${params} suites=${suites.data} />`} three=${threeAnswers({ board, versus, changes, params })}>
      <${Sentence} of=${board.sentence ? board : board.rows[0]} />
    <//>
    <div class="cols side stretch">
      <${Card} title="Leaderboard" sub="score 0 to 1 with 95 % interval; bracket: order of neighbours not decided" table=${boardTable(board.rows)} flush
        note=${html`${board.notes[0]?.startsWith("overall: ranks compare") && html`<${T} of=${board.notes} k=${0} />. `}<${LeftOut} board=${board} />`}>
        <${Board} rows=${rows} metric=${params.metric ?? "overall"} moved=${isMoved} selected=${at} onSelect=${setAt} />
      <//>
      <${Weights} weights=${weights} board=${board} onMove=${setMoving} />
    </div>
    <div class="cols two stretch">
      <${Changes} changes=${changes} />
      <${RunList} runs=${runs} most=${6} />
    </div>
    <${Profile} rows=${board.rows} params=${params} />
  `;
}

const sameWeights = (a, b) => Object.keys(a).every((k) => Math.abs(a[k] - b[k]) < 1e-4);

/** The name of the suite, where there is one only. */
function onlySuite(suites) {
  const names = new Set((suites?.suites ?? []).map((s) => s.name));
  return names.size === 1 ? [...names][0] : undefined;
}

/** The first and the second, where there is another agent that ranks; else the first alone. */
function pairOf(board) {
  const [first, second] = board.rows;
  return second && second.overall_rank !== null && selectorOf(first) !== selectorOf(second) ? [first, second] : [first];
}

/** The first against the second: how sure the lead is, and which cases tell otherwise. Of one suite: two have no cases in common. */
function useVersus(board, suite) {
  const [first, second] = pairOf(board);
  const where = suite && second
    ? address("/benchmarks/versus", { a: selectorOf(first), b: selectorOf(second), suite })
    : null;
  return useGet(where);
}

/** Of the newest of `runs` that finished a suite, against the version before. */
function useChanges(runs) {
  const run = runs?.runs.find((r) => r.status === "success" && r.suite);
  const answer = useGet(run ? `/benchmarks/runs/${run.id}/regressions` : null);
  if (runs && !run) return { none: true };
  return answer.data ? { ...answer, all: gather(answer.data) } : answer;
}

function Where({ board, params, suites }) {
  const names = (suites?.suites ?? []).map((s) => s.name);
  return html`
    ${names.length > 1 || params.suite
      ? html`<${Pick} label="Suite" param="suite" value=${params.suite} options=${[...names, ["all", "all suites"]]} />`
      : names.length === 1 && html`<span>Suite <b><${Name}>${names[0]}<//></b></span>`}
    <${Pick} label="Window" hidden param="since" value=${params.since ?? "30d"} options=${SINCE} />
    ${!isSite && html`<${Pick} label="Category" hidden param="category" value=${params.category ?? ""} options=${[["", "all categories"], "speed", "accuracy", "cost", "reliability", "scalability", "comprehensive"]} />`}
    ${board.rows.length > 0 && html`<span><${Count} of=${board} list="rows" /> ${plural(board.rows.length, "agent")} shown</span>
      <span>measured <${When} of=${newest(board.rows)} k="last_benchmark_date" /></span>`}
  `;
}

const newest = (rows) => rows.reduce((a, b) => (b.last_benchmark_date > a.last_benchmark_date ? b : a));

function threeAnswers({ board, versus, changes, params }) {
  return [
    ["How sure", html`<${HowSure} board=${board} />`, board.rows.length > 1 && html`<${T} of=${board.rows[1]} k="sentence" />`],
    ["Worse since last time", html`<${ChangeCounts} changes=${changes} />`, html`<${Largest} changes=${changes} />`],
    ["Look at next", html`<${LookAt} board=${board} versus=${versus} params=${params} />`, board.next && html`<${T} of=${board} k="next" />`],
  ];
}

function HowSure({ board }) {
  return board.sure ? html`<${T} of=${board} k="sure" />` : html`<${T} of=${board.rows[0]} k="sentence" />`;
}

function Largest({ changes }) {
  const worst = changes.all?.worse[0] ?? changes.all?.undecided[0];
  if (worst) return html`Largest: <${About} one=${worst} /><${Step} one=${worst} />`;
  return changes.data ? html`<${T} of=${changes.data} k="recommended_action" />` : "";
}

function LookAt({ board, versus, params }) {
  const only = versus.data?.mcnemar.only_b_passes;
  const [first, second] = pairOf(board);
  const suite = versus.data?.suite;
  if (only > 0) {
    return html`<a href=${link("versus", { a: selectorOf(first), b: selectorOf(second), suite, show: "flipped", since: params.since })}>
      <${N} of=${versus.data.mcnemar} k="only_b_passes" f="int" /> ${only === 1 ? "case" : "cases"} that <${Name}>${readable(selectorOf(second))}<//> passes and <${Name}>${readable(selectorOf(first))}<//> does not</a>`;
  }
  if (second) return html`<a href=${link("versus", { a: selectorOf(first), b: selectorOf(second), suite })}><${Name}>${readable(selectorOf(first))}<//> against <${Name}>${readable(selectorOf(second))}<//>, case by case</a>`;
  return html`<a href=${link("start")}>a second agent to compare with</a>`;
}

/** Why executions do not rank, in words (`left_out` has a code). */
const REASONS = { subset: "not measured to the end" };

function LeftOut({ board }) {
  const parts = (board.left_out ?? []).filter((o) => o.executions > 0);
  if (!parts.length && !board.left_off) return "Nothing is left out of this ranking.";
  return html`Left out: ${parts.map(
    (o, i) => html`${i > 0 && "; "}<b><${Name}>${o.agents.replaceAll(",", ", ")}<//></b> <span class="tag sim"><${Name}>${REASONS[o.reason] ?? o.reason}<//></span> (<${N} of=${o} k="executions" f="int" /> ${plural(o.executions, "execution")})`,
  )}${board.left_off > 0 && html`${parts.length > 0 && "; "}<${N} of=${board} k="left_off" f="int" /> further ${plural(board.left_off, "agent")}. <button class="link" onClick=${() => setParams({ limit: "0" })}>Show all</button>`}`;
}
