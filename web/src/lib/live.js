// A run as it happens: the lines of `assay run --json`, gathered by cell.
import { useEffect, useReducer } from "preact/hooks";

const MOST_LINES = 400;

export const emptyRun = () => ({ state: "waiting", runId: null, cells: new Map(), trials: 0, last: [], failures: 0, notes: [], lost: false });

/** The 95 % interval of the median by order statistics; null for fewer than six values. */
export function medianInterval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  if (!n) return null;
  const median = n % 2 ? sorted[n >> 1] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  if (n < 6) return { median, low: null, high: null };
  // the largest k with P(Binomial(n, 1/2) < k) <= 2.5 %
  let chance = 2 ** -Math.min(n, 1000);
  let sum = 0;
  let k = 0;
  if (n > 1000) k = Math.floor(n / 2 - 0.98 * Math.sqrt(n));
  else {
    for (;;) {
      sum += chance;
      if (sum > 0.025) break;
      chance *= (n - k) / (k + 1);
      k++;
    }
  }
  return { median, low: sorted[Math.max(0, k - 1)], high: sorted[Math.min(n - 1, n - k)] };
}

function cellOf(run, event) {
  if (!run.cells.has(event.cell)) run.cells.set(event.cell, { label: event.label ?? `cell ${event.cell}`, ok: 0, failed: 0, warmup: 0, right: 0, judged: 0, durations: [], points: [], status: "running" });
  return run.cells.get(event.cell);
}

function takeTrial(run, event) {
  const cell = cellOf(run, event);
  run.trials++;
  if (event.status === "ok") {
    cell.ok++;
    if (typeof event.metrics?.duration_s === "number") {
      cell.durations.push(event.metrics.duration_s);
      cell.points.push({ x: event.start_s, y: event.metrics.duration_s });
    }
  } else {
    cell.failed++;
    run.failures++;
  }
  if (typeof event.metrics?.accuracy === "number") {
    cell.judged++;
    cell.right += event.metrics.accuracy >= 1 ? 1 : 0;
  }
}

/** Changes `run` by one line. */
export function takeEvent(run, event) {
  run.last.push(event);
  if (run.last.length > MOST_LINES) run.last.splice(0, run.last.length - MOST_LINES);
  if (event.event === "run_started") Object.assign(run, { state: "running", runId: event.run_id });
  if (event.event === "cell_started") Object.assign(cellOf(run, event), { label: event.label, status: "running" });
  if (event.event === "warmup") cellOf(run, event).warmup++;
  if (event.event === "iteration") takeTrial(run, event);
  if (event.event === "note") run.notes.push(event.text);
  if (event.event === "cell_finished") cellOf(run, event).status = event.status;
  if (event.event === "run_status") Object.assign(run, { state: "elsewhere", runId: event.run_id });
  if (event.event === "run_finished" || event.event === "run_ended") Object.assign(run, { state: "over", runId: event.run_id ?? run.runId, status: event.status });
  return run;
}

/** Follows the events of a run; redraws at most ten times a second. */
export function useEvents(id) {
  const [, redraw] = useReducer((n) => n + 1, 0);
  const [box] = useReducer((b) => b, { run: emptyRun() });
  useEffect(() => {
    box.run = emptyRun();
    let timer = null;
    const soon = () => (timer ??= setTimeout(() => ((timer = null), redraw()), 100));
    const source = new EventSource(`/benchmarks/runs/${encodeURIComponent(id)}/events`);
    source.onmessage = (message) => {
      box.run.lost = false;
      takeEvent(box.run, JSON.parse(message.data));
      if (box.run.state === "over") source.close();
      soon();
    };
    source.onerror = () => {
      box.run.lost = box.run.state !== "over";
      soon();
    };
    return () => {
      source.close();
      clearTimeout(timer);
    };
  }, [id]);
  return box.run;
}
