// A run (assay.report/1) as the views need it: contenders of each group, and cases.
import { readableLabel } from "./agents.js";
import { format, metricName } from "./format.js";

/** A phase of a load by what it sent: "200/s", "8 in flight", "1 MB", "100/s, spike". */
function phaseName({ parameters: p, label }) {
  const load = p.body_bytes > 0 ? format(p.body_bytes, "B") : p.rate > 0 ? format(p.rate, "1/s") : p.connections > 0 ? `${p.connections} in flight` : label;
  const more = [p.shape && p.shape !== "constant" && p.shape, p.fault && p.fault !== "none" && p.fault.replaceAll("_", " ")];
  return [load, ...more].filter(Boolean).join(", ");
}

export const cellName = (cell) => {
  const s = cell.scores;
  if (!s && cell.experiment === "load") return phaseName(cell);
  if (!s) return readableLabel(cell.label);
  return [s.agent, s.version, s.prompt].filter(Boolean).join(" ");
};

/** It ended before it had a value: there is nothing to draw, only why. */
const isBare = (cell) => !["success", "running"].includes(cell.status) && !cell.scores && cell.metrics.every((m) => m.n === 0);

/** Cells that say why they failed. */
export const failedOf = (report) => report.cells.filter((cell) => cell.error);

/** Groups of cells that were measured together: [{ id, name, cells }]; not of those that have no results. */
export function groupsOf(report) {
  const groups = new Map();
  for (const cell of report.cells) {
    if (isBare(cell)) continue;
    const benchmark = cell.scores?.benchmark ?? (cell.experiment === "suite" ? cell.parameters?.benchmark : undefined);
    const id = benchmark ?? `${cell.experiment}-${cell.group}`;
    const name = benchmark ?? cell.experiment;
    if (!groups.has(id)) groups.set(id, { id, name, cells: [] });
    groups.get(id).cells.push(cell);
  }
  return [...groups.values()];
}

export const isSimulated = (cell) => cell.provenance === "simulated";

/** Names of metrics that some cell of the group has values of; the primary one first. */
export function metricsOf(cells) {
  const names = new Set();
  for (const cell of cells) {
    for (const m of cell.metrics) if (m.n > 0) names.add(m.name);
  }
  const primary = cells[0]?.primary_metric;
  return [...names].sort((a, b) => (b === primary) - (a === primary)).map((name) => [name, metricName(name)]);
}

export const metricOf = (cell, name) => cell.metrics.find((m) => m.name === name);

/** Rows for charts: { name, tag, metric, cell }, fastest (or best) first. */
export function rowsOf(cells, name) {
  const seen = new Map(); // a load that was tried again is told apart by a number
  const nameOf = (cell) => {
    const plain = cellName(cell);
    seen.set(plain, (seen.get(plain) ?? 0) + 1);
    return seen.get(plain) > 1 ? `${plain}, again ${seen.get(plain)}` : plain;
  };
  const rows = cells.map((cell) => ({ cell, name: nameOf(cell), tag: isSimulated(cell) ? "simulated" : "", metric: metricOf(cell, name) }));
  const worst = (m) => (m?.direction === "higher" ? -1 : 1);
  return rows.sort((a, b) => worst(a.metric) * ((a.metric?.level ?? Infinity) - (b.metric?.level ?? Infinity)));
}
