// The whole state of the page is its address: #/versus?suite=demo&a=bc&b=perl.
// After the hash, so that a folder of files works like a server.
import { useEffect, useState } from "preact/hooks";

/** The view's name and its parameters, as the address has them. */
export function readUrl(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { path: decodeURIComponent(path), params: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view; parameters that are empty are not in it. */
export function link(path, params = {}) {
  const query = new URLSearchParams(
    Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  ).toString();
  return `#/${path}${query ? `?${query}` : ""}`;
}

/** Changes some parameters; with `replace`, without a step to go back to. */
export function setParams(changes, { replace = false } = {}) {
  const { path, params } = readUrl();
  const next = link(path, { ...params, ...changes });
  if (next === location.hash) return;
  if (replace) {
    history.replaceState(null, "", next);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = next;
  }
}

export function useUrl() {
  const [url, setUrl] = useState(() => readUrl());
  useEffect(() => {
    const read = () => setUrl(readUrl());
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return url;
}
