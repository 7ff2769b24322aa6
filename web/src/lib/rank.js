// Ranks while the reader moves a weight. The server ranks with any weights and knows
// intervals and ties; this is only what happens between two of its answers.
export const SCORES = ["accuracy", "speed", "efficiency", "cost", "reliability"];

/** The weighted mean of the scores that exist, as the server computes it. */
export function overall(row, weights) {
  let sum = 0;
  let total = 0;
  for (const name of SCORES) {
    const score = row.scores[name]?.score;
    if (typeof score !== "number" || !(weights[name] > 0)) continue;
    sum += weights[name] * score;
    total += weights[name];
  }
  return total > 0 ? sum / total : null;
}

/** Sets one weight (a share); the others give way in proportion, so that all make 1. */
export function shiftWeights(weights, name, value) {
  const rest = SCORES.filter((s) => s !== name);
  const before = rest.reduce((sum, s) => sum + weights[s], 0);
  const next = { [name]: value };
  for (const s of rest) next[s] = before > 0 ? (weights[s] / before) * (1 - value) : (1 - value) / rest.length;
  return next;
}

/** As the address and the server have them: "accuracy=0.3,speed=0.2". */
export const weightsText = (weights) => SCORES.map((s) => `${s}=${Number(weights[s].toFixed(4))}`).join(",");

export function readWeights(text, fallback) {
  if (!text) return fallback;
  const read = Object.fromEntries(text.split(",").map((pair) => pair.split("=")).map(([k, v]) => [k, Number(v)]));
  const good = SCORES.every((s) => read[s] >= 0) && SCORES.some((s) => read[s] > 0);
  return good ? read : fallback;
}
