// What stands where an answer is not there: not yet, none, or an error.
import { html } from "../lib/html.js";
import { LogIn } from "./login.js";
import { words } from "./number.js";

export const Loading = () => html`<div class="empty" aria-busy="true"><span class="faint">Loading …</span></div>`;

/** Nothing is stored: the command that changes that. */
export function Empty({ title, command, children }) {
  return html`<div class="card empty">
    <b>${title}</b>
    ${children}
    ${command && html`<pre data-name="">${command}</pre>`}
  </div>`;
}

export function Failed({ error, again }) {
  if (error.status === 401) return html`<${LogIn} again=${again} />`;
  return html`<div class="card empty" role="alert">
    <b data-name="">${words(error.title ?? "The page failed")}</b>
    ${!error.title && html`<span data-name="">${error.message}</span>`}
    <span data-name="">${words(error.advice ?? "Reload the page; if it stays so, report it.")}</span>
    ${again && html`<button class="btn" onClick=${again}>Try again</button>`}
  </div>`;
}

/**
 * Shows `view(data)` once all answers are there. `asked`: those of useGet; what is optional
 * is not in it.
 */
export function whenThere(asked, view) {
  const failed = asked.find((a) => a.error);
  if (failed) return html`<${Failed} error=${failed.error} again=${failed.again} />`;
  if (asked.some((a) => !a.data)) return html`<${Loading} />`;
  return view(...asked.map((a) => a.data));
}
