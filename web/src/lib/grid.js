// Cases x agents (assay.cases/1): the two compared agents first, then the rest.
const sameAgent = (name, wanted) => name === wanted || name.replace(" ", "@") === wanted || name.split(" ")[0] === wanted.split("@")[0];

/** The name that the run has for an agent: the very version, else any of that agent. */
const find = (names, wanted) => names.find((n) => n === wanted || n.replace(" ", "@") === wanted) ?? names.find((n) => sameAgent(n, wanted));

/**
 * { agents: [name], rows: [{ id, one, a, b, by: Map(name, answer) }] } of one run, or of two
 * runs of the same cases: an agent's answers are those of the first run that has it.
 */
export function gridOf(books, a, b) {
  const rows = new Map();
  for (const one of books.flatMap((book) => book.cases)) {
    const id = `${one.benchmark}/${one.case}`;
    if (!rows.has(id)) rows.set(id, { id, one, by: new Map() });
    const { by } = rows.get(id);
    for (const answer of one.answers) if (!by.has(answer.agent)) by.set(answer.agent, answer);
  }
  const names = [...new Set([...rows.values()].flatMap((row) => [...row.by.keys()]))];
  const first = [find(names, a), find(names, b)];
  if (!first[0] || !first[1]) return { rows: [], agents: [] };
  for (const row of rows.values()) Object.assign(row, { a: row.by.get(first[0]), b: row.by.get(first[1]) });
  return { rows: [...rows.values()], agents: [...new Set([...first, ...names])] };
}

export const isUnstable = (answer) => Boolean(answer) && answer.passed > 0 && answer.passed < answer.attempted;
/** The attempt to show: the first that failed, else the first. */
export const shownAttempt = (answer) => answer.attempts.find((t) => !t.passed) ?? answer.attempts[0];
export const asText = (value) => (value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 1));
