// Phases, bottlenecks and sampled stacks of the chosen cell (assay.profile/1).
import { html } from "../lib/html.js";
import { address, useGet } from "../lib/api.js";
import { cellName } from "../lib/report.js";
import { Flame, Functions, Spans } from "../charts/flame.js";
import { Card } from "./card.js";
import { N, Name, T } from "./number.js";
import { numberColumn, textColumn } from "./table.js";

export function PhaseCard({ run, cell }) {
  const asked = useGet(address(`/benchmarks/profiles/${encodeURIComponent(run.id)}`));
  const profile = asked.data?.profiles.find((p) => p.execution_id === cell.id);
  if (!profile) return null;
  const data = profile.profile_data;
  if (!data.execution_phases.length && !data.functions.length && !data.bottlenecks.length) return null;
  const total = data.execution_phases.reduce((sum, p) => sum + p.duration_ms, 0) || 1;
  let start = 0;
  const bars = data.execution_phases.map((p) => {
    const bar = { name: p.phase_name, start, length: p.duration_ms / total, card: html`<b><${Name}>${p.phase_name}<//></b><br /><${N} of=${p} k="duration_ms" f="ms" />` };
    start += bar.length;
    return bar;
  });
  const table = { rows: data.execution_phases, columns: [textColumn("phase", (p) => p.phase_name), numberColumn("duration", "duration_ms", "ms"), numberColumn("share of the whole, %", "percentage_of_total", "sig")] };
  return html`<${Card} title="Where the time goes" sub=${html`<${Name}>${cellName(cell)}<//>: ${data.phases_from === "assay" ? "it reports no phases, so there is the whole answer" : `phases as the ${data.phases_from} reports them`}`} drawn table=${table}>
    <${Spans} bars=${bars} label=${`Phases: ${data.execution_phases.map((p) => p.phase_name).join(", ")}`} />
    ${data.stacks?.length > 0 && html`<p class="cap">Sampled stacks, callers above; n = <${N} of=${data} k="samples" f="int" /> samples</p><${Flame} stacks=${data.stacks} />`}
    ${data.functions.length > 0 && html`<${Functions} list=${data.functions} />`}
    ${data.bottlenecks.length > 0 && html`<ul class="rows first">${data.bottlenecks.map((b) => html`<li><b><${T} of=${b} k="location" /></b><span class="small muted"><${T} of=${b} k="cause" />: <${N} of=${b} k="impact_ms" f="ms" />. <${T} of=${b} k="optimization_suggestion" /></span></li>`)}</ul>`}
    ${data.functions.length === 0 && html`<p class="cap">No stacks were sampled: <code>assay run SPEC --instrument profile</code> adds them.</p>`}
  <//>`;
}
