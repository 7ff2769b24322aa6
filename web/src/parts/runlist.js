// Runs, newest first: when, what, how it went.
import { html } from "../lib/html.js";
import { readable } from "../lib/agents.js";
import { plural, shortId } from "../lib/format.js";
import { isSite } from "../lib/site.js";
import { link } from "../lib/url.js";
import { Card } from "./card.js";
import { N, Name, When } from "./number.js";
import { Failed, Loading } from "./state.js";
import { Verdict } from "./verdict.js";

/** Its suite; else what people call it: "sort.yaml" is "sort" to a reader, and an import "web@1.2" is "web 1.2". */
export function runName(run) {
  if (run.suite) return run.suite;
  const isImport = run.spec_path !== "(command line)" && /^[^\s@]+@[^\s@]+$/.test(run.subject);
  return isImport ? readable(run.subject) : run.subject.replace(/\.ya?ml$/, "").replace(/^\((.*)\)$/, "$1");
}

const seconds = (run) => (run.ended ? (new Date(run.ended) - new Date(run.started)) / 1000 : null);

/** How it went; nothing where it went well. Other work in its way is said beside it, with the note. */
export function RunState({ run, finished = null }) {
  const { status } = run;
  const disturbed = run.disturbed && html`<${Verdict} kind="warn" title=${run.notes}>disturbed<//>`;
  if (status === "success") return disturbed || finished;
  return html`${status === "running" ? html`<span class="tag">running</span>` : html`<${Verdict} kind="warn">${status}<//>`}${disturbed}`;
}

/** A stress test of several scenarios has a view of its own. */
export const isStress = (run) => run.spec_path === "(stress)" && run.cells > 2;

export function runLink(run) {
  if (run.status === "running" && !isSite) return link("live", { run: run.id });
  return isStress(run) && !isSite ? link("stress", { run: run.id }) : link("run", { id: run.id });
}

export function RunList({ runs, most = 20, title = "Recent runs" }) {
  const data = runs.data;
  return html`<${Card} title=${title} flush tools=${html`<a href=${link("runs")}>All runs</a>`}
    note=${!isSite && html`Runs of others appear here as they come: <code>assay record --agent NAME --task TASK …</code>`}>
    ${runs.error && html`<${Failed} error=${runs.error} again=${runs.again} />`}
    ${!data && !runs.error && html`<${Loading} />`}
    ${data &&
    html`<table class="runs"><caption class="sr">Recent runs</caption>
      <thead class="sr"><tr><th>started</th><th>run</th><th>results</th><th>state</th></tr></thead>
      <tbody>${data.runs.slice(0, most).map(
        (run) => html`<tr>
          <td class="muted nowrap"><${When} of=${run} k="started" /></td>
          <td><a class="agent" href=${runLink(run)} title=${run.id}><${Name}>${runName(run)}<//></a><span class="faint small block"><${Name}>${run.version ?? shortId(run.id)}<//></span></td>
          <td class="num"><${N} of=${run} k="cells" f="int" /> ${plural(run.cells, "result")}<span class="faint small block">${seconds(run) ? html`<${N} v=${seconds(run)} how="ended - started" f="s" />` : ""}</span></td>
          <td class="num"><${RunState} run=${run} /></td>
        </tr>`,
      )}</tbody></table>`}
  <//>`;
}
