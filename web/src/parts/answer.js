// The head of a view: where we are, the sentence, three short answers. The sentence is
// the server's; its first part is the finding, the rest qualifies it.
import { html } from "../lib/html.js";
import { placeOf } from "../lib/source.js";
import { together } from "./number.js";

/** Where the finding ends: at the first semicolon that is in no quotes, or before the rule. */
export function splitSentence(text) {
  const bare = text.replace(/'[^']*'/g, (quoted) => "'".repeat(quoted.length));
  const at = bare.search(/; | \(rule /);
  return at < 0 ? [text, ""] : [text.slice(0, at + 1), text.slice(at + 1)];
}

/** The heading from the text at `of[k]`. */
export function Sentence({ of, k = "sentence", subject }) {
  const place = placeOf(of, k);
  const [finding, rest] = splitSentence(together(of[k] ?? ""));
  const text = html`<span data-text="" data-from=${place?.address} data-path=${place?.path}>${finding}${rest && html`<span class="q">${rest}</span>`}</span>`;
  return html`<h1>${subject && html`<span data-name="">${subject}: </span>`}${text}</h1>`;
}

/** `three`: up to three [heading, first line, second line]. */
export function Answer({ where, children, three = [] }) {
  const shown = three.filter(Boolean);
  return html`<section class="answer">
    <div class="where">${where}</div>
    ${children}
    ${shown.length > 0 &&
    html`<dl class="three">
      ${shown.map(
        ([heading, first, second]) => html`<div>
          <dt>${heading}</dt>
          <dd>${first}</dd>
          ${second && html`<dd>${second}</dd>`}
        </div>`,
      )}
    </dl>`}
  </section>`;
}
