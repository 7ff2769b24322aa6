// Runs, newest first: when, what, how it went.
import { html } from "../lib/html.js";
import { plural, shortId } from "../lib/format.js";
import { isSite } from "../lib/site.js";
import { link } from "../lib/url.js";
import { Card } from "./card.js";
import { N, Name, When } from "./number.js";
import { Failed, Loading } from "./state.js";
import { Verdict } from "./verdict.js";

/** Its suite; else what people call it: "sort.yaml" is "sort" to a reader. */
export const runName = (run) => run.suite ?? run.subject.replace(/\.ya?ml$/, "").replace(/^\((.*)\)$/, "$1");

const seconds = (run) => (run.ended ? (new Date(run.ended) - new Date(run.started)) / 1000 : null);

export function RunState({ status }) {
  if (status === "success") return null;
  if (status === "running") return html`<span class="tag">running</span>`;
  return html`<${Verdict} kind="warn">${status}<//>`;
}

export const runLink = (run) => (run.status === "running" && !isSite ? link("live", { run: run.id }) : link("run", { id: run.id }));

export function RunList({ runs, most = 20, title = "Recent runs" }) {
  const data = runs.data;
  return html`<${Card} title=${title} flush tools=${html`<a href=${link("runs")}>All runs</a>`}
    note=${!isSite && html`Runs of others appear here as they come: <code>assay record --agent NAME --task TASK …</code>`}>
    ${runs.error && html`<${Failed} error=${runs.error} again=${runs.again} />`}
    ${!data && !runs.error && html`<${Loading} />`}
    ${data &&
    html`<table class="runs"><caption class="sr">Recent runs</caption>
      <thead class="sr"><tr><th>started</th><th>run</th><th>cells</th><th>state</th></tr></thead>
      <tbody>${data.runs.slice(0, most).map(
        (run) => html`<tr>
          <td class="muted nowrap"><${When} of=${run} k="started" /></td>
          <td><a class="agent" href=${runLink(run)} title=${run.id}><${Name}>${runName(run)}<//></a><span class="faint small block"><${Name}>${run.version ?? shortId(run.id)}<//></span></td>
          <td class="num"><${N} of=${run} k="cells" f="int" /> ${plural(run.cells, "cell")}<span class="faint small block">${seconds(run) ? html`<${N} v=${seconds(run)} how="ended - started" f="s" />` : ""}</span></td>
          <td class="num"><${RunState} status=${run.status} /></td>
        </tr>`,
      )}</tbody></table>`}
  <//>`;
}
