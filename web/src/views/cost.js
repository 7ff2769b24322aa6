// Money: who is most efficient, what more accuracy costs, what could be saved.
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { readable } from "../lib/agents.js";
import { extent, linear, logarithmic } from "../lib/scale.js";
import { link } from "../lib/url.js";
import { Pareto, configName, frontWord } from "../charts/pareto.js";
import { Answer, Sentence } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { Interval, N, Name, T } from "../parts/number.js";
import { Pick } from "../parts/pick.js";
import { runName } from "../parts/runlist.js";
import { Empty, Failed, Loading } from "../parts/state.js";
import { numberColumn, textColumn } from "../parts/table.js";
import { Simulated, Verdict } from "../parts/verdict.js";
import { Whisker } from "../parts/whisker.js";
import { when } from "../lib/format.js";

export function Cost({ params }) {
  const runs = useGet(address("/benchmarks/runs", { limit: 50 }));
  const cost = useGet(address("/benchmarks/cost", { run: params.run }));
  const bar = html`<${Where} runs=${runs.data} params=${params} chosen=${cost.data?.run_id} />`;
  if (runs.data && !runs.data.runs.some((r) => r.suite) && !params.run) return html`<${Empty} title="No suite was run yet. This runs one whose cost can be looked at:" command="assay run specs/demo.yaml --stub" />`;
  if (cost.error) return html`<${Answer} where=${bar}><h1>This run has no costs</h1><//><${Failed} error=${cost.error} again=${cost.again} />`;
  if (!cost.data) return html`<${Answer} where=${bar} /><${Loading} />`;
  const data = cost.data;
  const told = data.configurations.filter((c) => c.total_usd !== null);
  const paid = told.filter((c) => c.cost_per_success_usd > 0);
  return html`
    <${Answer} where=${bar} three=${threeAnswers(data)}><${Sentence} of=${data} /><//>
    ${told.length === 0 && html`<${Empty} title="No agent of this run reports what it costs. Prices in the spec are enough:" command="prices: {input: 0.15, output: 0.60}   # USD per 1M tokens" />`}
    <div class="cols two stretch">
      ${paid.length > 0 && html`<${Card} title="Accuracy by cost" sub="crosses: 95 % intervals; line: Pareto front; up and left is better" drawn table=${costTable(data.configurations)}><${Pareto} list=${data.configurations} /><//>`}
      <${Beside} data=${data} />
    </div>
    <${CostTable} list=${data.configurations} />
  `;
}

function Where({ runs, params, chosen }) {
  const options = (runs?.runs ?? []).filter((r) => r.suite).map((r) => [r.id, `${runName(r)}, ${when(r.started)}`]);
  return html`<span>Cost of</span>${options.length > 0 && html`<${Pick} label="Run" hidden param="run" value=${params.run ?? chosen} options=${options} />`}
    ${chosen && html`<a href=${link("run", { id: chosen })}>the run</a>`}<span>failures are paid for too: cost per success counts them</span>`;
}

function threeAnswers(data) {
  const best = [...data.configurations].filter((c) => !c.simulated && c.pareto_share !== null).sort((a, b) => b.efficiency_score - a.efficiency_score)[0];
  const saving = data.cost_optimization_opportunities[0];
  return [
    ["How sure", !data.configurations.some((c) => c.cost_per_success_usd > 0) ? "Nothing here has a price: there is nothing to weigh accuracy against." : best ? html`<${Name}>${configName(best)}<//> is on the front in <${N} of=${best} k="pareto_share" f="pct0" /> of resamplings` : "Nothing to compare with.", best && html`<${Name}>${configName(best)}<//>: <${N} of=${best} k="cases" f="int" /> cases, <${N} of=${best} k="successes" f="int" /> of <${N} of=${best} k="attempts" f="int" /> attempts passed`],
    ["Could be saved", saving ? html`<${Name}>${readable(saving.from)}<//> → <${Name}>${readable(saving.to)}<//>: <${N} of=${saving} k="saving_usd_per_success" f="usd1000" /> per 1,000 successes, <${N} of=${saving} k="saving_share" f="pct0" />` : "Nothing: none is shown to cost less and to be no worse.", saving && html`cost <${Verdict} kind=${saving.cost_verdict} />, accuracy <${Verdict} kind=${saving.accuracy_verdict} />`],
    ["Do next", saving ? html`Use <${Name}>${readable(saving.to)}<//> instead of <${Name}>${readable(saving.from)}<//>` : data.next ? html`<${T} of=${data} k="next" />` : "Nothing to change on these numbers.", saving && html`<${T} of=${saving} k="sentence" />`],
  ];
}

/** The front step by step, and what cannot stand on a logarithmic axis. */
function Beside({ data }) {
  const steps = data.front_steps;
  const free = data.configurations.filter((c) => !(c.cost_per_success_usd > 0));
  return html`<div class="cols">
    ${steps.length > 0 && html`<${Card} title="Step by step" sub="points of accuracy along the front, and what one costs" flush>
      <table class="fold"><caption class="sr">The front from the cheapest to the most accurate</caption><thead><tr><th>step</th><th class="num">points</th><th>verdict</th><th class="num">$ per 1,000 and point</th></tr></thead><tbody>
      ${steps.map((s) => html`<tr><td>→ <b><${Name}>${readable(s.to)}<//></b> <span class="block small muted">from <${Name}>${readable(s.from)}<//></span></td>
          <td class="num" data-l="points"><b><${N} of=${s} k="gain" f="points" /></b> <span class="muted"><${Interval} of=${s} f="points" /></span></td>
          <td data-l="verdict"><${Verdict} kind=${s.verdict} /></td>
          <td class="num" data-l="$ per 1,000 and point"><${N} of=${s} k="usd_per_success_and_point" f="usd1000" /></td></tr>`)}</tbody></table><//>`}
    ${free.length > 0 && html`<${Card} title="Free, or without a price" sub="no place on a logarithmic axis" flush>
      <table><caption class="sr">Configurations without a cost</caption><tbody>${free.map((c) => html`<tr><td><b><${Name}>${configName(c)}<//></b> ${c.simulated && html`<${Simulated} />`}</td>
        <td class="num">${c.total_usd === null ? html`<span class="faint">not told</span>` : c.is_bound && c.cost_low > 0 ? html`over <${N} of=${c} k="cost_low" f="usd" />` : html`<${N} of=${c} k="total_usd" f="usd" />`}</td>
        <td class="num small muted"><${N} of=${c} k="successes" f="int" /> of <${N} of=${c} k="attempts" f="int" /> passed</td></tr>`)}</tbody></table><//>`}
  </div>`;
}

const costTable = (rows) => ({
  rows,
  columns: [
    textColumn("configuration", configName),
    numberColumn("USD per success", "cost_per_success_usd", "USD"),
    numberColumn("low", "cost_low", "USD"),
    numberColumn("high", "cost_high", "USD"),
    numberColumn("accuracy", "accuracy", "score2"),
    numberColumn("accuracy low", "accuracy_low", "score2"),
    numberColumn("accuracy high", "accuracy_high", "score2"),
    numberColumn("passed", "successes", "int"),
    numberColumn("attempts", "attempts", "int"),
    numberColumn("total USD", "total_usd", "USD"),
    { name: "front", get: (c) => (c.pareto ? "yes" : "no") },
    textColumn("dominated by", (c) => c.dominated_by ?? ""),
    numberColumn("share of resamplings on the front", "pareto_share", "pct0"),
  ],
});

function CostTable({ list }) {
  const costs = extent(list.flatMap((c) => [c.cost_low, c.cost_high, c.cost_per_success_usd].filter((v) => v > 0)));
  const at = costs ? logarithmic([costs[0] * 0.8, costs[1] * 1.2], [0, 100]) : null;
  const share = linear([0, 1], [0, 100]);
  return html`<${Card} title="Cost per success" sub="per 1,000, log scale; accuracy 0 to 1; failures included" table=${costTable(list)} flush>
    <table class="fold costs"><caption class="sr">Cost per success and accuracy of each configuration</caption>
      <thead><tr><th>configuration</th><th>cost per 1,000 successes</th><th></th><th>accuracy</th><th></th><th class="num">passed</th><th>front</th></tr></thead>
      <tbody>${list.map((c) => html`<tr>
        <td><b><${Name}>${configName(c)}<//></b> ${c.simulated && html`<${Simulated} />`}</td>
        <td data-l="cost per 1,000 successes" class="nowrap">${c.cost_per_success_usd === null
          ? c.is_bound ? html`over <${N} of=${c} k="cost_low" f="usd1000" />` : html`<span class="faint">not told</span>`
          : html`<b><${N} of=${c} k="cost_per_success_usd" f="usd1000" /></b> <span class="muted"><${Interval} of=${c} low="cost_low" high="cost_high" f="usd1000" missing="" /></span>`}</td>
        <td class="full">${at && c.cost_per_success_usd > 0 && html`<${Whisker} value=${c.cost_per_success_usd} low=${c.cost_low} high=${c.cost_high ?? c.cost_per_success_usd * 10} at=${at} f="usd1000" />`}</td>
        <td data-l="accuracy" class="nowrap"><b><${N} of=${c} k="accuracy" f="score2" /></b> <span class="muted"><${Interval} of=${c} low="accuracy_low" high="accuracy_high" f="score2" missing="" /></span></td>
        <td class="full"><${Whisker} value=${c.accuracy} low=${c.accuracy_low} high=${c.accuracy_high} at=${share} f="score2" /></td>
        <td class="num" data-l="passed"><${N} of=${c} k="successes" f="int" /> of <${N} of=${c} k="attempts" f="int" /></td>
        <td data-l="front">${!costs ? html`<span class="faint">no price</span>` : c.pareto_share === null ? html`<span class="faint">compared with none</span>` : html`${c.pareto ? "●" : "○"} ${frontWord(c)}, <span class="muted"><${N} of=${c} k="pareto_share" f="pct0" /> of resamplings</span>`}</td>
      </tr>`)}</tbody></table>
  <//>`;
}
