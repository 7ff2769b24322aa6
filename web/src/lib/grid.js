// Cases x agents (assay.cases/1): the two compared agents first, then the rest.
const sameAgent = (name, wanted) => name === wanted || name.replace(" ", "@") === wanted || name.split(" ")[0] === wanted.split("@")[0];

/** The name that the run has for an agent: the very version, else any of that agent. */
const find = (names, wanted) => names.find((n) => n === wanted || n.replace(" ", "@") === wanted) ?? names.find((n) => sameAgent(n, wanted));

/** "lines, prompt short" is of the benchmark lines, and of agents "echo prompt short": [benchmark, what names end in]. */
function partsOf(label, book) {
  const [, benchmark, prompt] = /^(.*), (prompt .*)$/s.exec(label) ?? [];
  return !prompt || book?.cases.some((one) => one.benchmark === label) ? [label, ""] : [benchmark, ` ${prompt}`];
}

/** Its cases with the answers by name of agent, of a prompt those that it was asked with. */
function casesOf(book, label) {
  const [benchmark, end] = partsOf(label, book);
  return (book?.cases ?? []).filter((one) => one.benchmark === benchmark).map((one) => ({
    one,
    answers: one.answers.filter((x) => x.agent.endsWith(end)).map((x) => [x.agent.slice(0, x.agent.length - end.length), x]),
  }));
}
const agentsOf = (cases) => [...new Set(cases.flatMap(({ answers }) => answers.map(([name]) => name)))];

/**
 * { agents: [name], rows: [{ id, benchmark, one, a, b, by: Map(name, answer) }] }: the cases of each of
 * `benchmarks` (assay.versus/1), the answers of A from its run and of B from its own, as they
 * were compared; those of others from the same runs. `books`: assay.cases/1 by run.
 */
export function gridOf(benchmarks, books, a, b) {
  const rows = new Map();
  const first = [null, null];
  for (const { benchmark, run_a: runA, run_b: runB } of benchmarks.filter((x) => x.run_a && x.run_b)) {
    const sides = [[casesOf(books.get(runA), benchmark), a, "a"], [casesOf(books.get(runB), benchmark), b, "b"]];
    sides.forEach(([cases, wanted, side], k) => {
      const name = find(agentsOf(cases), wanted);
      first[k] ??= name;
      for (const { one, answers } of cases) {
        const id = `${benchmark}/${one.case}`;
        if (!rows.has(id)) rows.set(id, { id, benchmark, one, by: new Map() });
        const row = rows.get(id);
        for (const [agent, answer] of answers) {
          if (agent === name) row[side] = answer;
          else if (!row.by.has(agent)) row.by.set(agent, answer);
        }
      }
    });
  }
  if (!first[0] || !first[1]) return { rows: [], agents: [] };
  for (const row of rows.values()) {
    // what was compared goes before what the other run has of the same agent
    if (row.a) row.by.set(first[0], row.a);
    if (row.b) row.by.set(first[1], row.b);
  }
  return { rows: [...rows.values()], agents: [...new Set([...first, ...[...rows.values()].flatMap((row) => [...row.by.keys()])])] };
}

export const isUnstable = (answer) => Boolean(answer) && answer.passed > 0 && answer.passed < answer.attempted;
/** The attempt to show: the first that makes the case right, wrong or unjudged. */
export const shownAttempt = (answer) => answer.attempts[answer.shown];
/** Neither right nor unjudged (null). */
export const isWrong = (answer) => Boolean(answer) && answer.right === false;
export const asText = (value) => (value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 1));
