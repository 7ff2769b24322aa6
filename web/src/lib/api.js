// Asks the server. An answer is kept for as long as the page shows it and asked for
// again, with its ETag, when the view is opened anew; the last one is shown meanwhile,
// so that going back and forth does not flicker.
import { useEffect, useState } from "preact/hooks";
import { isSite, readSite } from "./site.js";
import { remember } from "./source.js";

const kept = new Map(); // address -> answer
const MOST_KEPT = 40;

/** A failed request: what happened, and what to do. */
export class Failure extends Error {
  constructor(title, advice, { status = 0 } = {}) {
    super(title);
    Object.assign(this, { title, advice, status });
  }
}

export function address(path, params = {}) {
  const query = new URLSearchParams(
    Object.entries(params).filter(([, v]) => v !== undefined && v !== null && v !== ""),
  ).toString();
  return query ? `${path}?${query}` : path;
}

const ADVICE = {
  400: "Choose something else above, or go back.",
  401: "Log in with a token: `assay tokens new --role read` makes one.",
  403: "This token may not do that: ask for one with the role run or admin.",
  404: "It is not in this store, or was removed from it: go back to the list.",
  413: "The request is too large.",
  429: "The server is busy: wait a few seconds and try again.",
  500: "The server failed: its log says why.",
  503: "The server is shutting down: start it again with `assay serve`.",
};

async function failureOf(response) {
  let problem = {};
  try {
    problem = await response.json();
  } catch {
    /* not JSON: the status says enough */
  }
  const advice = problem.advice ?? ADVICE[response.status] ?? "Reload the page.";
  // the detail says what happened; the title is only the status in words
  const title = problem.detail ?? problem.title ?? `The server answered ${response.status}`;
  return new Failure(title[0].toUpperCase() + title.slice(1), advice, { status: response.status });
}

async function request(where, options) {
  let response;
  try {
    response = await fetch(where, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("The server does not answer", isSite ? "Reload the page." : "Is it running? Start it with `assay serve` and reload.");
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** The file of a published copy that has the answer. */
async function siteFile(where) {
  if (location.protocol === "file:") {
    throw new Failure("A browser does not let a page on disk read its data", "Show this folder with a file server: `python3 -m http.server -b 127.0.0.1`, then open http://127.0.0.1:8000/.");
  }
  const { file, refused, command } = await readSite(where, async (name) => (await request(name, { cache: "no-cache" })).json());
  if (refused) throw new Failure(refused[0].toUpperCase() + refused.slice(1), ADVICE[400]);
  if (!file) throw new Failure("This published copy does not hold that answer", `Where the store is: \`${command}\`, or \`assay serve\`.`);
  return file;
}

/** The answer of a GET. */
export async function get(where, { signal } = {}) {
  const file = isSite ? await siteFile(where) : where;
  const response = await request(file, { signal, headers: { Accept: "application/json" } });
  const json = remember(await response.json(), where);
  kept.delete(where);
  kept.set(where, json);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return json;
}

/** Sends something that changes the store; the header is one that no other site can send. */
export async function send(method, where, body) {
  const response = await request(where, {
    method,
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-Assay": "page" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  kept.clear();
  const text = await response.text();
  return { json: text ? remember(JSON.parse(text), where) : null, headers: response.headers };
}

/**
 * The answer for `where` (null: ask nothing): { data, error, loading, again }. `again`
 * asks once more.
 */
export function useGet(where) {
  const [state, setState] = useState({ where: null });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!where) return undefined;
    const abort = new AbortController();
    get(where, { signal: abort.signal }).then(
      (data) => setState({ where, data }),
      (error) => abort.signal.aborted || setState({ where, error }),
    );
    return () => abort.abort();
  }, [where, turn]);
  const again = () => setTurn((n) => n + 1);
  if (!where) return { loading: false, again };
  if (state.where === where) return { ...state, loading: false, again };
  return { data: kept.get(where), loading: !kept.has(where), again };
}

/** The answers for all of `list`, in its order, as one: { data, error, loading }. */
export function useGets(list) {
  const key = list.join("\n");
  const [state, setState] = useState({ key: null });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    Promise.all(list.map((where) => get(where, { signal: abort.signal }))).then(
      (data) => setState({ key, data }),
      (error) => abort.signal.aborted || setState({ key, error }),
    );
    return () => abort.abort();
  }, [key, turn]);
  const again = () => setTurn((n) => n + 1);
  return state.key === key ? { ...state, loading: false, again } : { loading: true, again };
}

/** Calls `again` when somebody stores a run, as long as the component is shown. */
export function useStoreEvents(again) {
  useEffect(() => {
    if (isSite) return undefined;
    const source = new EventSource("/benchmarks/events");
    let timer = null;
    source.onmessage = () => {
      clearTimeout(timer);
      timer = setTimeout(again, 500);
    };
    return () => {
      source.close();
      clearTimeout(timer);
    };
  }, []);
}
