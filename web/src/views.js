// The views of the page: a line here adds one. `path` is its address after #/, `tab` its
// word in the bar (none: reached by links), `keeps` the parameters that go along when the
// reader changes to it, `changes` that it needs a server (a published copy has none).
import { Overview } from "./views/overview.js";
import { Versus } from "./views/versus.js";
import { Run } from "./views/run.js";
import { Runs } from "./views/runs.js";
import { Timeline } from "./views/timeline.js";
import { Regressions } from "./views/regressions.js";
import { Stress } from "./views/stress.js";
import { Cost } from "./views/cost.js";
import { Compare } from "./views/compare.js";
import { Agents } from "./views/agents.js";
import { Suites } from "./views/suites.js";
import { Start } from "./views/start.js";
import { Live } from "./views/live.js";

const COMMON = ["suite", "since"];

export const VIEWS = [
  { path: "", tab: "Overview", view: Overview, keeps: COMMON },
  { path: "versus", tab: "Head-to-head", view: Versus, keeps: COMMON },
  { path: "runs", tab: "Runs", view: Runs, keeps: COMMON },
  { path: "run", under: "runs", view: Run, keeps: COMMON },
  { path: "live", under: "runs", view: Live, changes: true, keeps: COMMON },
  { path: "compare", under: "versus", view: Compare, keeps: COMMON },
  { path: "timeline", tab: "Timeline", view: Timeline, keeps: COMMON },
  { path: "regressions", tab: "Regressions", view: Regressions, keeps: COMMON },
  { path: "stress", tab: "Stress", view: Stress, keeps: COMMON },
  { path: "cost", tab: "Cost", view: Cost, keeps: COMMON },
  { path: "agents", tab: "Agents", view: Agents, keeps: COMMON },
  { path: "suites", tab: "Suites", view: Suites, keeps: COMMON },
  { path: "start", view: Start, changes: true, keeps: COMMON },
];
