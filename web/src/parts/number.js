// Every number of the page is written here. What a server said carries its full value
// and its place (data-value, data-from, data-path); what the page worked out itself
// carries its full value and how (data-value, data-computed). Texts that a server wrote
// carry their place too: they may have numbers in them.
import { html } from "../lib/html.js";
import { format, when } from "../lib/format.js";
import { placeOf } from "../lib/source.js";

function marks(value, place, how) {
  return {
    "data-value": value === null || value === undefined ? "null" : String(value),
    ...(place ? { "data-from": place.address, "data-path": place.path } : { "data-computed": how ?? "here" }),
  };
}

/**
 * The number at `of[k]`, as `f` says (lib/format.js). `unitOf`: the value that chooses the
 * unit; `v` and `how`: a number that the page made, and from what.
 */
export function N({ of, k, f, v, how, unitOf, as = "span", bare = false, ...rest }) {
  const value = of ? of[k] : v;
  const place = of ? placeOf(of, k) : null;
  let text = format(value, f, unitOf ?? value);
  if (bare) text = text.replace(/[\u00a0 ][^\d]*$/, "");
  return html`<${as} ...${marks(value, place, how)} ...${rest}>${text}<//>`;
}

/** An interval in brackets, in the unit of the estimate; why it is missing, if it is. */
export function Interval({ of, low = "low", high = "high", f, unitOf, as = "span", missing = "no interval", ...rest }) {
  const reference = unitOf ?? of?.[high];
  if (!of || (of[low] ?? null) === null || (of[high] ?? null) === null) {
    return html`<${as} class="faint">${missing}<//>`;
  }
  return html`<${as} class="nowrap" ...${rest}>[<${N} as=${inner(as)} of=${of} k=${low} f=${f} unitOf=${reference} bare />,${" "}<${N}
      as=${inner(as)} of=${of} k=${high} f=${f} unitOf=${reference} bare />]<//>`;
}
const inner = (as) => (as === "text" || as === "tspan" ? "tspan" : "span");

/** How many there are in a list that a server gave. */
export function Count({ of, list, ...rest }) {
  const items = of[list];
  const place = placeOf(of, list);
  return html`<span ...${marks(items.length, place && { ...place, path: `${place.path}#` }, "count")} ...${rest}>${items.length.toLocaleString("en")}</span>`;
}

const NBSP = "\u00a0";

/** No line ends within an interval, or between a p or a number and what belongs to it. */
export const together = (text) =>
  text.replace(/\[[^[\]]{1,24}\]|\bp [=<] \S+|\d (?=%|ms\b|s\b|MB\b)/g, (part) => part.replaceAll(" ", NBSP));

/** Texts with `commands` in backquotes. */
export const words = (text) => together(text ?? "").split("`").map((part, i) => (i % 2 ? html`<code>${part}</code>` : part));

/** The text at `of[k]`, word for word; what is in backquotes is a command. */
export function T({ of, k, as = "span", ...rest }) {
  const place = placeOf(of, k);
  const said = { "data-text": "", ...(place && { "data-from": place.address, "data-path": place.path }) };
  return html`<${as} ...${said} ...${rest}>${words(of[k])}<//>`;
}

/** A moment, in the reader's time; the whole of it in the title. */
export function When({ of, k }) {
  const iso = of[k];
  if (!iso) return html`<span class="faint">–</span>`;
  const place = placeOf(of, k);
  return html`<time datetime=${iso} title=${iso} data-from=${place?.address} data-path=${place?.path}>${when(iso)}</time>`;
}

/** Names and other texts of people, which may contain digits. */
export const Name = ({ children, as = "span", ...rest }) => html`<${as} data-name="" ...${rest}>${children}<//>`;
