// What changed since the last version of each agent (assay.regressions/1).
import { html } from "../lib/html.js";
import { metricName, kindOf, plural } from "../lib/format.js";
import { link } from "../lib/url.js";
import { Card } from "./card.js";
import { Interval, N, Name, T } from "./number.js";
import { Failed, Loading } from "./state.js";
import { Severity, Verdict } from "./verdict.js";

const ORDER = ["critical", "high", "medium", "low", "none"];
const amount = (one) => one.regression_percentage ?? Infinity; // nothing was there before
/** As the server finds the worst (src/history/regress.c): what is muted or was judged false comes last. */
const byWeight = (a, b) => a.quiet - b.quiet || ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || (amount(a) === amount(b) ? 0 : amount(b) - amount(a));

/** An answer's lists under the words of verdicts, the worst first. */
export const gather = (data) => ({
  worse: [...data.regressions].sort(byWeight),
  undecided: data.undecided,
  better: data.improvements,
  "no change found": data.unchanged,
});

export function ChangeCounts({ changes }) {
  if (changes.error) return html`<span class="faint">not known: <${Name}>${changes.error.title}<//></span>`;
  if (changes.none) return html`No run of this suite has finished: <code>assay run SUITE</code>`;
  if (!changes.data) return html`<span class="faint">…</span>`;
  if (changes.data.compared === 0) return "Nothing to compare with yet";
  const { worse, undecided, better } = changes.all;
  const count = (kind, list) => list.length > 0 && html`<${Verdict} kind=${kind}><${N} v=${list.length} how="count" f="int" /> ${kind}<//>`;
  if (!worse.length && !undecided.length && !better.length) return html`<${Verdict} kind="none">no change found<//>`;
  return html`<a class="plain" href=${link("regressions")}>${count("worse", worse)}${count("undecided", undecided)}${count("better", better)}</a>`;
}

/** 0.201 → 0.238 ms, +18.4 % [+12.1, +24.9] */
export function Step({ one }) {
  const kind = kindOf(one.unit);
  const change = one.scale === "points" ? "signed3" : "signed_pct";
  return html`<span class="block small">
    <${N} of=${one} k="baseline_value" f=${kind} unitOf=${one.current_value} /> → <${N} of=${one} k="current_value" f=${kind} />,${" "}
    <b><${N} of=${one} k="regression_percentage" f=${change} /></b>${" "}
    <${Interval} of=${one} f=${change} />${one.scale === "points" ? " points" : ""}</span>`;
}

/** Of one cell, or of several together. */
const about = (one) => (one.cells > 1 ? html`<${N} of=${one} k="cells" f="int" /> benchmarks together` : html`<${Name}>${one.benchmark}<//>`);

/** Who, where and by which metric. */
export const About = ({ one }) => html`<b><${Name}>${one.agent}${one.agent_version ? ` ${one.agent_version}` : ""}<//></b>${" "}
  <span class="muted">${about(one)}, <${Name}>${metricName(one.metric)}<//></span>`;

export function Change({ one, kind, acts, more }) {
  return html`<li class="alert">
    <span>${kind === "worse" && html`<${Severity} level=${one.severity} />`}</span>
    <div>
      <${About} one=${one} />
      <${Step} one=${one} />
      ${more}
    </div>
    <span class="acts">${acts}<${Verdict} kind=${kind === "no change found" ? "none" : kind}>${kind}<//></span>
  </li>`;
}

const MOST = 4;

export function Changes({ changes }) {
  const all = changes.all;
  const items = all ? ["worse", "undecided", "better"].flatMap((kind) => all[kind].map((one) => [kind, one])) : [];
  return html`<${Card} title="Since last time" sub="against each agent's last version; above 0 is worse" flush
    tools=${html`<a href=${link("regressions")}>All changes</a>`}
    note=${changes.data?.compared > 0 && html`<${N} of=${changes.data} k="comparisons" f="int" /> comparisons over <${N} of=${changes.data} k="compared" f="int" /> of <${N} of=${changes.data} k="cells" f="int" /> ${plural(changes.data.cells, "result")}; in <${N} v=${all["no change found"].length} how="count" f="int" /> no change was found.`}>
    ${changes.error && html`<${Failed} error=${changes.error} again=${changes.again} />`}
    ${changes.none && html`<div class="empty"><b>No run of this suite has finished. This makes one to compare with:</b><pre data-name="">assay run SUITE</pre></div>`}
    ${!changes.data && !changes.error && !changes.none && html`<${Loading} />`}
    ${changes.data &&
    (items.length
      ? html`<ul class="rows first">${items.slice(0, MOST).map(([kind, one]) => html`<${Change} one=${one} kind=${kind} />`)}</ul>`
      : html`<div class="empty"><b>${changes.data.compared ? "No change was found." : "No earlier version to compare with."}</b>
          <${T} of=${changes.data} k="recommended_action" /></div>`)}
  <//>`;
}
