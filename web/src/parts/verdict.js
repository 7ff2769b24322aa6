// Verdicts and other signs: shape, word and colour, in this order of importance.
import { html } from "../lib/html.js";

const SHAPES = {
  better: "M5 1 9.5 9h-9z",
  worse: "M5 9 .5 1h9z",
  equivalent: "M1 2h8v2H1zM1 6h8v2H1z",
  undecided: "M5 .5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9m0 1.9a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2",
  none: "M1 4h8v2H1z", // nothing was found, which is no verdict
  warn: "M5 .5 10 9.5H0zM4.4 3.6h1.2v3H4.4zm0 3.7h1.2v1.2H4.4z",
};

export const Shape = ({ kind }) =>
  html`<svg viewBox="0 0 10 10" aria-hidden="true"><path fill-rule="evenodd" d=${SHAPES[kind] ?? SHAPES.undecided} /></svg>`;

/** A verdict; `children` replaces the word where the subject belongs to it ("bc better"). */
export const Verdict = ({ kind, children, title }) =>
  html`<span class="v ${kind}" title=${title}><${Shape} kind=${kind} /><span>${children ?? kind}</span></span>`;

export const Warning = ({ children }) => html`<div class="warnbox" role="note"><${Shape} kind="warn" /><span>${children}</span></div>`;

const BARS = { critical: 4, high: 3, medium: 2, low: 1 };

export const Severity = ({ level }) =>
  BARS[level] ? html`<span class="sev ${level}"><i style=${{ "--n": BARS[level] }}></i>${level}</span>` : html`<span class="sev"></span>`;

export const Simulated = () => html`<span class="tag sim" title="a stand-in answered, not the real agent">simulated</span>`;

/** Passed or not, with a word for those who do not see it. */
/** null: not judged. */
export const Mark = ({ ok }) =>
  ok === null ? html`<span class="mark" role="img" aria-label="not judged">–</span>` : ok ? html`<span class="mark pass" role="img" aria-label="passed">✓</span>` : html`<span class="mark fail" role="img" aria-label="failed">✗</span>`;
