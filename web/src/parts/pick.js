// Choices. What they change is in the address (lib/url.js).
import { html } from "../lib/html.js";
import { setParams } from "../lib/url.js";

/** A list to choose from; options are values or [value, label]. */
export function Pick({ label, param, value, options, onPick, hidden = false }) {
  const pick = (event) => (onPick ? onPick(event.target.value) : setParams({ [param]: event.target.value }));
  const pairs = options.map((o) => (Array.isArray(o) ? o : [o, o]));
  if (value && !pairs.some(([v]) => v === value)) pairs.unshift([value, value]);
  return html`<label class="pick"><span class=${hidden ? "sr" : ""}>${label}</span>
    <select class="btn" value=${value ?? ""} onChange=${pick}>
      ${pairs.map(([v, text]) => html`<option value=${v} selected=${v === (value ?? "")}>${text}</option>`)}
    </select></label>`;
}

/** A few alternatives side by side. */
export function Segments({ label, param, value, options, onPick }) {
  return html`<span class="seg" role="group" aria-label=${label}>
    ${options.map((o) => {
      const [v, text] = Array.isArray(o) ? o : [o, o];
      return html`<button aria-pressed=${v === value ? "true" : "false"} onClick=${() => (onPick ? onPick(v) : setParams({ [param]: v }, { replace: true }))}>${text}</button>`;
    })}
  </span>`;
}

/** Filters with counts; a count of 0 stays. options: [value, label, count vnode]. */
export function Chips({ label, param, value, options }) {
  return html`<div class="chips" role="group" aria-label=${label} data-filters="">
    ${options.map(
      ([v, text, count]) =>
        html`<button class="chip" aria-pressed=${v === value ? "true" : "false"} onClick=${() => setParams({ [param]: v }, { replace: true })}>
          <span data-name="">${text}</span>${count !== undefined && html`<b data-value=${count} data-computed="count">${count}</b>`}
        </button>`,
    )}
  </div>`;
}
