// Agents: who there is, how each is started, and where each stands.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { link } from "../lib/url.js";
import { Answer } from "../parts/answer.js";
import { agentName, apart } from "../parts/board.js";
import { Card } from "../parts/card.js";
import { Interval, N, Name, T, When } from "../parts/number.js";
import { Empty, whenThere } from "../parts/state.js";

export function Agents({ params }) {
  const agents = useGet("/benchmarks/agents?all=true");
  const board = useGet(address("/benchmarks/leaderboard", { since: "all", limit: 0 }));
  return whenThere([agents, board], (list, ranks) => {
    if (!list.agents.length) return html`<${Empty} title="No agents yet. A run with a suite makes them known; this keeps one by name:" command="assay agents add agents.yaml" />`;
    return html`<${List} agents=${list.agents} ranks=${ranks} params=${params} />`;
  });
}

function List({ agents, ranks, params }) {
  const of = (agent) => ranks.rows.filter((r) => r.agent_id === agent.id || r.agent_name === agent.name);
  const chosen = agents.find((a) => a.name === params.agent);
  const ranked = agents.filter((a) => of(a).length);
  const table = { rows: agents, columns: ["name", "kind", "version", "registered", "id"].map((k) => ({ name: k, get: (a) => (typeof a[k] === "boolean" ? String(a[k]) : a[k]) })) };
  return html`
    <${Answer} where=${html`<span>agents known to this store</span>`}>
      <h1><${N} v=${agents.length} how="count" f="int" /> agents are known<span class="q">; <${N} v=${ranked.length} how="count" f="int" /> of them are ranked, <${N} v=${agents.filter((a) => a.registered).length} how="count" f="int" /> can be started by name</span></h1>
    <//>
    ${chosen && html`<${One} agent=${chosen} rows=${of(chosen)} />`}
    <${Card} title="Agents" flush table=${table} note=${html`Ranks are of all suites together, among agents that have the same scores. To start one by name from here or by the API: <code>assay agents add agents.yaml</code>`}>
      <table class="fold"><caption class="sr">Agents</caption><thead><tr><th>agent</th><th>kind</th><th>version</th><th>rank</th><th>overall</th><th>last measured</th><th></th></tr></thead>
      <tbody>${agents.map((a) => {
        // of the version that is named beside it, not of an older one that ranks higher
        const row = of(a).find((r) => r.agent_version === a.version) ?? of(a)[0];
        return html`<tr aria-selected=${a === chosen ? "true" : undefined}>
          <td><a class="agent" href=${link("agents", { agent: a.name })}><${Name}>${a.name}<//></a> ${!a.registered && html`<span class="tag" title="known from runs; not registered">from runs</span>`}</td>
          <td data-l="kind"><${T} of=${a} k="kind" /></td>
          <td data-l="version"><${Name}>${row?.agent_version ?? a.version ?? "–"}<//></td>
          <td data-l="rank">${row?.overall_rank ? html`<${N} of=${row} k="overall_rank" f="int" /> <span class="faint">of <${N} v=${ranks.rows.filter((r) => r.overall_rank !== null && !apart(r, row)).length} how="count" f="int" /></span>` : html`<span class="faint">not ranked</span>`}</td>
          <td data-l="overall">${row && row.overall_score !== null ? html`<b><${N} of=${row} k="overall_score" f="score" /></b> <${Interval} of=${row} low="overall_low" high="overall_high" f="score2" />` : "–"}</td>
          <td data-l="last measured">${row ? html`<${When} of=${row} k="last_benchmark_date" />` : "–"}</td>
          <td class="nowrap links"><a href=${link("timeline", { agent: a.name })}>timeline</a><a href=${link("regressions", { agent: a.name })}>regressions</a></td>
        </tr>`;
      })}</tbody></table>
    <//>`;
}

function One({ agent, rows }) {
  return html`<${Card} title=${html`<${Name}>${agent.name}<//>`} file="agent" sub=${html`<${T} of=${agent} k="kind" />`}>
    ${rows.map((r) => html`<p><b><${Name}>${agentName(r)}<//></b>: <${T} of=${r} k="sentence" />${r.next && html` <${T} of=${r} k="next" class="muted" />`}</p>`)}
    ${rows.length === 0 && html`<p class="muted">Not ranked: only measured successes on suites are.</p>`}
    <p class="cap">How it is started</p><pre class="cmd" tabindex="0" data-name="">${JSON.stringify(agent.configuration, null, 2)}</pre>
  <//>`;
}
