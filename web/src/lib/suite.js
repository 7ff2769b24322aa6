// Suites ask different things: unless the reader says otherwise a view is of one.
import { useEffect, useState } from "preact/hooks";
import { address, useGet } from "./api.js";
import { setParams } from "./url.js";

/** "all" and none mean no suite to the server. */
export const asked = (suite) => (suite === "all" ? "" : suite);

/** Names of suites, the one that was run last first; undefined: not known yet. */
export function orderOf(suites, runs) {
  if (!suites || !runs) return undefined;
  const names = suites.suites.map((s) => s.name);
  return [...new Set([...runs.runs.map((r) => r.suite).filter((n) => names.includes(n)), ...names])];
}

/** The order of suites, asked for only where the address names none. */
export function useOrder(isNeeded) {
  const suites = useGet(isNeeded ? "/benchmarks/suites?all=true" : null);
  const runs = useGet(isNeeded ? address("/benchmarks/runs", { limit: 30 }) : null);
  return { order: orderOf(suites.data, runs.data), error: suites.error ?? runs.error, again: () => (suites.again(), runs.again()) };
}

/** Puts what was chosen for the reader into the address, so that links and other views keep it. */
export function useInAddress(given, chosen) {
  useEffect(() => {
    if (given === undefined && chosen && chosen !== "all") setParams({ suite: chosen }, { replace: true });
  }, [given, chosen]);
}

/** The leaderboard of `suite`, or where it is open of the newest suite with `least` ranked agents: { suite, board }. */
export function useRankedSuite(suite, query, least = 2) {
  const [at, setAt] = useState(0);
  const isOpen = !suite;
  const { order, error, again } = useOrder(isOpen);
  const name = suite || (least === 1 && order?.length < 2 ? "all" : order?.[at]);
  const isKnown = !isOpen || order !== undefined;
  const board = useGet(isKnown ? address("/benchmarks/leaderboard", { ...query, suite: asked(name) }) : null);
  const isPoor = isOpen && board.data?.rows.filter((r) => r.overall_rank !== null).length < least && at + 1 < order?.length;
  useEffect(() => {
    if (isPoor) setAt(at + 1);
  }, [isPoor, at]);
  return { suite: name, board: error ? { error, again } : isPoor ? { again } : board };
}
