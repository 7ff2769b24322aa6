// What the numbers were measured on, and by which spec.
import { html } from "../lib/html.js";
import { shortCommit } from "../lib/format.js";
import { commandLine } from "../lib/shell.js";
import { isSite } from "../lib/site.js";
import { link } from "../lib/url.js";
import { Card } from "./card.js";
import { N, Name, T } from "./number.js";

const LINES = [
  ["host", "hostname"],
  ["system", "os"],
  ["processor", "cpu_model"],
  ["CPUs", "cpus", "int"],
  ["memory", "memory_mb", "MB"],
  ["load at the start", "load_1m", "sig"],
  ["governor", "governor"],
  ["turbo", "turbo"],
  ["clock", "clock"],
  ["clock source", "clock_source"],
];

export function Machine({ report }) {
  const env = report.environment;
  return html`<${Card} title="Machine" sub="what these numbers were measured on">
    <dl class="kv">
      ${!env && html`<dt>machine</dt><dd>not measured here: imported</dd>`}
      ${env && LINES.map(([name, k, f]) => html`<dt>${name}</dt><dd>${env[k] === null || env[k] === undefined ? html`<span class="faint">not known</span>` : f ? html`<${N} of=${env} k=${k} f=${f} />` : html`<${Name}>${String(env[k])}<//>`}</dd>`)}
      ${env && html`<dt>virtual</dt><dd>${env.virtual ? "yes: neighbours can take time from it" : "no"}</dd>`}
      ${report.vcs && html`<dt>commit</dt><dd><code data-name="" title=${report.vcs.commit}>${shortCommit(report.vcs.commit)}</code> <${Name}>${report.vcs.branch ?? ""}<//>${report.vcs.dirty && html` <span class="tag sim">uncommitted changes</span>`}</dd>`}
      <dt>assay</dt><dd><${Name}>${report.run.assay_version}<//></dd>
      <dt>seed</dt><dd><${N} of=${report.run} k="seed" f="int" /></dd>
    </dl>
  <//>`;
}

/** How to have it once more. What the server started has words that only it understands. */
function Again({ report }) {
  const words = report.run.command ?? [];
  const suite = report.cells.map((c) => c.scores?.suite ?? c.parameters?.suite).find(Boolean);
  if (!words.length) return null;
  if (!words.some((w) => w.startsWith("--request="))) return html`<p class="small muted">Run again: <code data-name="">${commandLine(words)}</code></p>`;
  return isSite ? null : html`<p class="small muted"><a href=${link("start", { suite })}>Start again</a></p>`;
}

export function SpecText({ report, cell }) {
  const { run } = report;
  return html`<${Card} title="Spec and notes" sub=${html`<${Name}>${run.spec_path ?? "given on the command line"}<//>`}>
    <${Again} report=${report} />
    ${cell.notes.length > 0 && html`<ul class="small muted plainlist">${cell.notes.map((_, i) => html`<${T} as="li" of=${cell.notes} k=${i} />`)}</ul>`}
    ${run.spec && html`<details><summary>Spec as run</summary><pre tabindex="0" data-name="">${run.spec}</pre></details>`}
    <details><summary>What each number rests on</summary><pre tabindex="0" data-name="">${`assay show ${run.id} --explain`}</pre></details>
  <//>`;
}
