// A run as it happens: the lines of `assay run --json`, gathered by cell.
import { useEffect, useReducer } from "preact/hooks";
import { readableLabel } from "./agents.js";

export const emptyRun = () => ({ state: "waiting", runId: null, cells: new Map(), done: null, planned: null, counts: null, notes: [], lost: false });

function cellOf(run, event) {
  if (!run.cells.has(event.cell)) run.cells.set(event.cell, { label: event.label ?? `cell ${event.cell}`, now: null, points: [], status: "running" });
  return run.cells.get(event.cell);
}

/** A point of the picture; what is counted comes with `progress` and `cell_finished`. */
function takeTrial(run, event) {
  const cell = cellOf(run, event);
  const value = event.metrics?.[cell.now?.metric ?? "duration_s"];
  if (event.status === "ok" && typeof value === "number") cell.points.push({ x: event.start_s, y: value });
}

/** Changes `run` by one line. */
export function takeEvent(run, event) {
  if (event.event === "run_started") Object.assign(run, { state: "running", runId: event.run_id });
  if (event.event === "cell_started") Object.assign(cellOf(run, event), { label: readableLabel(event.label), status: "running" });
  if (event.event === "iteration") takeTrial(run, event);
  if (event.event === "progress") {
    cellOf(run, event).now = event;
    Object.assign(run, { state: "running", done: event.trials_done, planned: event.trials_planned });
  }
  if (event.event === "note") run.notes.push(event.text);
  if (event.event === "cell_finished") Object.assign(cellOf(run, event), { now: event, status: event.status });
  if (event.event === "run_status") Object.assign(run, { state: "elsewhere", runId: event.run_id });
  if (event.event === "run_finished") Object.assign(run, { state: "over", runId: event.run_id ?? run.runId, status: event.status, counts: event });
  if (event.event === "request_ended" && event.state === "parked") run.state = "parked";
  else if (event.event === "request_ended") Object.assign(run, { state: "over", status: run.status ?? event.state });
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
