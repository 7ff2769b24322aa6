// The first screen: who is best, by how much, how sure; what got worse; what to look at.
import { useState } from "preact/hooks";
import { html } from "../lib/html.js";
import { address, useGet, useStoreEvents } from "../lib/api.js";
import { isSite } from "../lib/site.js";
import { readable, selectorOf } from "../lib/agents.js";
import { overall, readWeights } from "../lib/rank.js";
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
  suite: params.suite === "all" ? "" : params.suite,
  category: params.category,
  metric: params.metric,
  since: params.since ?? "30d",
  weights: isSite ? "" : params.weights,
  limit: params.limit,
});

export function Overview({ params: given }) {
  const suites = useGet("/benchmarks/suites?all=true");
  const runs = useGet(given.suite === undefined ? address("/benchmarks/runs", { limit: 30 }) : null);
  const params = { ...given, suite: given.suite ?? usualSuite(suites.data, runs.data) };
  const isChosen = params.suite !== undefined || suites.error || runs.error;
  const board = useGet(isChosen ? address("/benchmarks/leaderboard", question(params)) : null);
  if (suites.error) return html`<${Failed} error=${suites.error} again=${suites.again} />`;
  return whenThere([board], (data) =>
    data.rows.length ? html`<${Ranked} board=${data} params=${params} again=${board.again} />` : html`<${Nothing} params=${params} />`,
  );
}

function Nothing({ params }) {
  if ((params.suite && params.suite !== "all") || params.category) {
    return html`<${Empty} title="Nothing is ranked for this choice."><button class="btn" onClick=${() => setParams({ suite: "all", category: "", since: "all" })}>Show all</button><//>`;
  }
  return html`<${Empty} title="No results yet. These commands fill this store:" command=${"assay run specs/demo.yaml --stub\nassay leaderboard"} />`;
}

function Ranked({ board, params, again }) {
  const [moving, setMoving] = useState(null);
  const [at, setAt] = useState(-1);
  const suites = useGet("/benchmarks/suites?all=true");
  const runs = useGet(address("/benchmarks/runs", { limit: 30 }));
  useStoreEvents(() => (runs.again(), again()));
  const versus = useVersus(board, params);
  const changes = useChanges(runs.data, params.suite);
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
        note=${html`<${LeftOut} board=${board} />`}>
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

/**
 * Suites ask different things: unless the reader says otherwise the ranking is of one, the
 * newest. Undefined: not known yet.
 */
function usualSuite(suites, runs) {
  if (!suites || !runs) return undefined;
  const names = suites.suites.map((s) => s.name);
  if (names.length < 2) return "all";
  return runs.runs.find((r) => names.includes(r.suite))?.suite ?? names[0];
}

/** The first against the second: how sure the lead is, and which cases tell otherwise. */
function useVersus(board, params) {
  const [first, second] = board.rows;
  const where = second && selectorOf(first) !== selectorOf(second)
    ? address("/benchmarks/versus", { a: selectorOf(first), b: selectorOf(second), suite: params.suite === "all" ? "" : params.suite })
    : null;
  return useGet(where);
}

/**
 * Of the newest run of the suite that the board ranks, against the version before; of all
 * suites, the newest run of any.
 */
function useChanges(runs, suite) {
  const suites = (runs?.runs ?? []).filter((r) => r.status === "success" && r.suite);
  const run = suite && suite !== "all" ? suites.find((r) => r.suite === suite) : suites[0];
  const asked = useGet(run ? `/benchmarks/runs/${run.id}/regressions` : null);
  if (runs && !run) return { none: true };
  return asked.data ? { ...asked, all: gather(asked.data) } : asked;
}

function Where({ board, params, suites }) {
  const names = (suites?.suites ?? []).map((s) => s.name);
  return html`
    ${names.length > 1 || params.suite
      ? html`<${Pick} label="Suite" param="suite" value=${params.suite} options=${[...names, ["all", "all suites"]]} />`
      : names.length === 1 && html`<span>Suite <b><${Name}>${names[0]}<//></b></span>`}
    <${Pick} label="Window" hidden param="since" value=${params.since ?? "30d"} options=${SINCE} />
    ${!isSite && html`<${Pick} label="Category" hidden param="category" value=${params.category ?? ""} options=${[["", "all categories"], "speed", "accuracy", "cost", "reliability", "scalability", "comprehensive"]} />`}
    <span><${Count} of=${board} list="rows" /> agents ranked</span>
    <span>measured <${When} of=${newest(board.rows)} k="last_benchmark_date" /></span>
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
  const [first, second] = board.rows;
  const suite = versus.data?.suite;
  if (only > 0) {
    return html`<a href=${link("versus", { a: selectorOf(first), b: selectorOf(second), suite, show: "flipped", since: params.since })}>
      <${N} of=${versus.data.mcnemar} k="only_b_passes" f="int" /> ${only === 1 ? "case" : "cases"} that <${Name}>${readable(selectorOf(second))}<//> passes and <${Name}>${readable(selectorOf(first))}<//> does not</a>`;
  }
  if (second && selectorOf(first) !== selectorOf(second)) return html`<a href=${link("versus", { a: selectorOf(first), b: selectorOf(second), suite })}><${Name}>${readable(selectorOf(first))}<//> against <${Name}>${readable(selectorOf(second))}<//>, case by case</a>`;
  return html`<a href=${link("start")}>a second agent to compare with</a>`;
}

function LeftOut({ board }) {
  const parts = (board.left_out ?? []).filter((o) => o.executions > 0);
  if (!parts.length && !board.left_off) return "Nothing is left out of this ranking.";
  return html`Left out: ${parts.map(
    (o, i) => html`${i > 0 && "; "}<b><${T} of=${o} k="agents" /></b> <span class="tag sim"><${T} of=${o} k="reason" /></span> (<${N} of=${o} k="executions" f="int" /> executions)`,
  )}${board.left_off > 0 && html` and <${N} of=${board} k="left_off" f="int" /> further agents. <button class="link" onClick=${() => setParams({ limit: "0" })}>Show all</button>`}`;
}
