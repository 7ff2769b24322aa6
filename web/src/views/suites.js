// Suites: what is asked, how it is judged, what counts as good.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { link } from "../lib/url.js";
import { Answer } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { Count, N, Name, T } from "../parts/number.js";
import { Empty, Failed, Loading, whenThere } from "../parts/state.js";

export function Suites({ params }) {
  const asked = useGet("/benchmarks/suites?all=true");
  return whenThere([asked], (data) => {
    if (!data.suites.length) return html`<${Empty} title="No suites yet. This writes a commented one that runs:" command=${"assay init suite\nassay run suite.yaml"} />`;
    const chosen = data.suites.find((s) => s.name === params.name) ?? data.suites[0];
    const table = { rows: data.suites, columns: ["name", "title", "category", "version", "id", "content_hash"].map((k) => ({ name: k, get: (s) => s[k] })) };
    return html`
      <${Answer} where=${html`<span>suites known to this store</span>`}>
        <h1><${N} v=${data.suites.length} how="count" f="int" /> suites are known<span class="q">; <${N} v=${data.suites.filter((s) => s.registered).length} how="count" f="int" /> can be started by name</span></h1>
      <//>
      <${Card} title="Suites" flush table=${table} note=${html`To start one from here or by the API: <code>assay suites add suite.yaml</code>`}>
        <table class="fold"><caption class="sr">Suites</caption><thead><tr><th>suite</th><th>title</th><th>category</th><th>version</th><th></th></tr></thead>
        <tbody>${data.suites.map((s) => html`<tr aria-selected=${s === chosen ? "true" : undefined}>
          <td><a class="agent" href=${link("suites", { name: s.name })}><${Name}>${s.name}<//></a> ${!s.registered && html`<span class="tag" title="known from runs; not registered">from runs</span>`}</td>
          <td data-l="title"><${Name}>${s.title ?? ""}<//></td><td data-l="category"><${T} of=${s} k="category" /></td><td data-l="version"><${Name}>${s.version ?? "–"}<//></td>
          <td class="nowrap"><a href=${link("", { suite: s.name })}>ranking</a></td></tr>`)}</tbody></table>
      <//>
      <${One} suite=${chosen} />`;
  });
}

function One({ suite }) {
  const asked = useGet(address(`/benchmarks/suites/${encodeURIComponent(suite.name)}`));
  if (asked.error) return html`<${Failed} error=${asked.error} again=${asked.again} />`;
  if (!asked.data) return html`<${Loading} />`;
  return html`<${Card} title=${html`Benchmarks of <${Name}>${suite.name}<//>`} file="benchmarks" flush>
    <ul class="rows first">${asked.data.benchmarks.map((b) => html`<li>
      <b><${Name}>${b.name}<//></b>
      <span class="muted"><${Name}>${b.description ?? ""}<//></span>
      <span class="small muted"><${Count} of=${b} list="cases" /> cases, <${Name}>${(b.test_type ?? "").replaceAll("_", " ")}<//>${b.dataset?.complexity && html`, complexity <${Name}>${b.dataset.complexity}<//>`}</span>
      <dl class="kv"><dt>judged by</dt><dd><code data-name="">${(b.scoring_rubric ?? []).map((r) => r.check ?? JSON.stringify(r)).join(", ") || "exact"}</code></dd>
        <dt>targets</dt><dd><code data-name="">${pairs(b.targets)}</code></dd>
        <dt>limits</dt><dd><code data-name="">${pairs(b.constraints)}</code></dd></dl>
    </li>`)}</ul>
  <//>`;
}

const pairs = (object) => Object.entries(object ?? {}).map(([k, v]) => `${k} ${v}`).join(", ") || "none";
