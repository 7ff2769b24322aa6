// All runs, newest first.
import { html } from "../lib/html.js";
import { address, useGet, useStoreEvents } from "../lib/api.js";
import { shortCommit, shortId } from "../lib/format.js";
import { useKeys } from "../lib/keys.js";
import { link, setParams } from "../lib/url.js";
import { Answer } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { N, Name, When } from "../parts/number.js";
import { Chips, Pick } from "../parts/pick.js";
import { RunState, runLink, runName } from "../parts/runlist.js";
import { Empty, whenThere } from "../parts/state.js";

const FILTERS = {
  all: ["All", () => true],
  suites: ["Suites", (r) => r.suite],
  running: ["Running", (r) => r.status === "running"],
  failed: ["Not finished", (r) => !["success", "running"].includes(r.status)],
};
const seconds = (run) => (run.ended ? (new Date(run.ended) - new Date(run.started)) / 1000 : null);

export function Runs({ params }) {
  const asked = useGet(address("/benchmarks/runs", { limit: params.limit ?? 100, tag: params.tag }));
  useStoreEvents(asked.again);
  return whenThere([asked], (data) => html`<${List} data=${data} params=${params} />`);
}

function List({ data, params }) {
  const filter = FILTERS[params.show] ? params.show : "all";
  const shown = data.runs.filter(FILTERS[filter][1]);
  const at = Number(params.at ?? -1);
  const go = (step) => setParams({ at: Math.min(shown.length - 1, Math.max(0, at + step)) }, { replace: true });
  useKeys({ j: () => go(1), k: () => go(-1), Enter: () => (shown[at] ? (location.hash = runLink(shown[at])) : false) });
  if (!data.runs.length) return html`<${Empty} title="No runs yet:" command=${"assay run specs/demo.yaml --stub"} />`;
  const newest = data.runs[0];
  const table = {
    rows: shown,
    columns: ["id", "status", "started", "ended", "spec_path", "experiment", "suite", "cells", "seed", "commit", "disturbed", "notes"].map((k) => ({ name: k, get: (r) => r[k] })),
  };
  return html`
    <${Answer} where=${html`<span>newest first</span><${Pick} label="Most" param="limit" value=${params.limit ?? "100"} options=${[["20", "20 runs"], ["100", "100 runs"], ["1000", "1,000 runs"], ["0", "all runs"]]} />${params.tag && html`<span>tag <b><${Name}>${params.tag}<//></b></span> <button class="link" onClick=${() => setParams({ tag: "" })}>all tags</button>`}`}>
      <h1>The newest run is of <${Name}>${runName(newest)}<//>, <${When} of=${newest} k="started" /><span class="q">; <${N} v=${data.runs.length} how="count" f="int" /> runs are shown, <${N} v=${data.runs.filter(FILTERS.failed[1]).length} how="count" f="int" /> did not finish</span></h1>
    <//>
    <${Card} title="Runs" flush table=${table} tools=${html`<${Chips} label="Runs shown" param="show" value=${filter} options=${Object.entries(FILTERS).map(([k, [word, test]]) => [k, word, data.runs.filter(test).length])} />`}>
      <table class="fold runs-all"><caption class="sr">Runs, newest first</caption>
        <thead><tr><th>run</th><th>started</th><th>version</th><th>tags</th><th class="num">results</th><th class="num">took</th><th>state</th><th></th></tr></thead>
        <tbody>${shown.map((run, i) => html`<tr aria-selected=${i === at ? "true" : undefined}>
          <td><a class="agent" href=${runLink(run)}><${Name}>${runName(run)}<//></a> <code class="faint" title=${run.id} data-name="">${shortId(run.id)}</code></td>
          <td data-l="started"><${When} of=${run} k="started" /></td>
          <td data-l="version"><code data-name="" title=${run.version}>${shortCommit(run.commit) ?? "–"}</code>${run.version?.includes("changes") && html` <span class="tag">changes</span>`}</td>
          <td data-l="tags">${(run.tags ?? []).map((t) => html`<button class="link tag" onClick=${() => setParams({ tag: t })}><${Name}>${t}<//></button> `)}</td>
          <td class="num" data-l="results"><${N} of=${run} k="cells" f="int" /></td>
          <td class="num" data-l="took">${!seconds(run) ? "–" : html`<${N} v=${seconds(run)} how="ended - started" f="s" />`}</td>
          <td data-l="state"><${RunState} run=${run} finished="finished" /></td>
          <td><a href=${link("compare", { b: run.id })}>compare</a></td>
        </tr>`)}</tbody></table>
      ${shown.length === 0 && html`<div class="empty">No run is like that.</div>`}
    <//>`;
}
