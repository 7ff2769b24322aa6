// A published copy of the page (`assay report --site`): no server, its answers are files.
// site.json says which request is answered by which file.
import { quoted } from "./shell.js";

export const isSite = document.querySelector('meta[name="assay-site"]') !== null;

let index = null; // a promise: { made_at, assay_version, runs, answers, refused }

/** What a request asks, however it is written: names decoded, parameters in order. */
export function canonical(target) {
  const [path, query = ""] = target.split("?");
  const parts = path.split("/").map((part) => encodeURIComponent(decodeURIComponent(part)));
  const params = new URLSearchParams(query);
  params.sort();
  return `${parts.join("/")}?${params}`;
}

/** The index; `ask` fetches JSON. A failure is not kept. */
export function siteIndex(ask) {
  index ??= ask("site.json").then(
    (json) => ({
      ...json,
      files: new Map(Object.entries(json.answers).map(([target, file]) => [canonical(target), `data/${file}`])),
      refusals: new Map(Object.entries(json.refused).map(([target, why]) => [canonical(target), why])),
    }),
    (error) => {
      index = null;
      throw error;
    },
  );
  return index;
}

/** { file }, or { refused: why }, or { command } that asks the store for it. */
export async function readSite(where, ask) {
  const site = await siteIndex(ask);
  const key = canonical(where);
  return { file: site.files.get(key), refused: site.refusals.get(key), command: commandOf(where) };
}

/** The command that answers a request; [path, words before the options, parameters that are words]. */
const COMMANDS = [
  [/leaderboard$/, "leaderboard"],
  [/versus$/, "versus", ["a", "b"]],
  [/runs$/, "list"],
  [/runs\/([^/]+)\/compare$/, "compare", ["with"]],
  [/runs\/([^/]+)\/cases$/, "cases"],
  [/runs\/([^/]+)\/regressions$/, "regressions"],
  [/runs\/([^/]+)/, "show"],
  [/agents\/([^/]+)\/trend$/, "trend", ["metric"], "--agent"],
  [/agents\/([^/]+)\/regressions$/, "regressions", [], "--agent"],
  [/profiles\/([^/]+)$/, "profile"],
  [/cost$/, "cost", ["run"]],
  [/stress$/, "show", ["run"]],
  [/suites\/([^/]+)$/, "suites show"],
];

export function commandOf(where) {
  const [path, query = ""] = where.split("?");
  const [pattern, name, words = [], option] = COMMANDS.find(([p]) => p.test(path)) ?? [/$/, "serve"];
  const params = [...new URLSearchParams(query)];
  const own = pattern.exec(path)?.[1];
  const parts = ["assay", name];
  if (own && !option) parts.push(quoted(decodeURIComponent(own)));
  for (const word of words) for (const [key, value] of params) if (key === word) parts.push(quoted(value));
  if (own && option) parts.push(option, quoted(decodeURIComponent(own)));
  for (const [key, value] of params) if (!words.includes(key)) parts.push(`--${key.replaceAll("_", "-")}`, quoted(value));
  return parts.join(" ");
}
