// A run (assay.report/1) as the views need it: contenders of each group, and cases.
import { metricName } from "./format.js";

export const cellName = (cell) => {
  const s = cell.scores;
  if (!s) return cell.label;
  return [s.agent, s.version, s.prompt].filter(Boolean).join(" ");
};

/** Groups of cells that were measured together: [{ id, name, cells }]. */
export function groupsOf(report) {
  const groups = new Map();
  for (const cell of report.cells) {
    const id = cell.scores ? cell.scores.benchmark : `${cell.experiment}-${cell.group}`;
    const name = cell.scores ? cell.scores.benchmark : cell.experiment;
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
  const rows = cells.map((cell) => ({ cell, name: cellName(cell), tag: isSimulated(cell) ? "simulated" : "", metric: metricOf(cell, name) }));
  const worst = (m) => (m?.direction === "higher" ? -1 : 1);
  return rows.sort((a, b) => worst(a.metric) * ((a.metric?.level ?? Infinity) - (b.metric?.level ?? Infinity)));
}
