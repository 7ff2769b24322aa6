// Start a run of a registered suite. The server measures in a process of its own; what is
// sent names a suite, agents and what the suite allows to be set, never a command.
import { useState } from "preact/hooks";
import { html } from "../lib/html.js";
import { send, useGet } from "../lib/api.js";
import { link } from "../lib/url.js";
import { Answer } from "../parts/answer.js";
import { Card } from "../parts/card.js";
import { Name, T, When } from "../parts/number.js";
import { Empty, Failed, whenThere } from "../parts/state.js";

export function Start({ params }) {
  const suites = useGet("/benchmarks/suites");
  const agents = useGet("/benchmarks/agents");
  const queue = useGet("/benchmarks/queue");
  return whenThere([suites, agents], (s, a) => {
    if (!s.suites.length) {
      return html`<${Answer}><h1>No suite is registered<span class="q">; only registered ones can be started from here</span></h1><//>
        <${Empty} title="This registers one; then reload:" command="assay suites add specs/demo.yaml" />`;
    }
    return html`<${Answer} where=${html`<span>one run at a time; others wait</span>`}><h1>Start a run of a suite<span class="q">; it is measured on the server's machine</span></h1><//>
      <div class="cols wide-l"><${Form} suites=${s.suites} agents=${a.agents} params=${params} /><${Queue} queue=${queue} /></div>`;
  });
}

/** "iterations.measured = 3", a line each. */
function readSettings(text) {
  const pairs = text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => line.split("="));
  const value = (raw) => {
    try {
      return JSON.parse(raw);
    } catch {
      return raw; // a text
    }
  };
  return Object.fromEntries(pairs.map(([key, ...rest]) => [key.trim(), value(rest.join("=").trim())]));
}

function Form({ suites, agents, params }) {
  const [suite, setSuite] = useState(suites.some((s) => s.name === params.suite) ? params.suite : suites[0].name);
  const whole = useGet(`/benchmarks/suites/${encodeURIComponent(suite)}`).data;
  const allowed = whole?.overridable ?? [];
  const own = whole?.agents ?? [];
  const choice = [...own.map((name) => [name, "of the suite"]), ...agents.map((a) => a.name).filter((name) => !own.includes(name)).map((name) => [name, "registered"])];
  const [error, setError] = useState(null);
  const [sending, setSending] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const body = { suite_id: form.get("suite"), async_execution: true };
    const chosen = form.getAll("agent");
    const settings = readSettings(form.get("settings") ?? "");
    if (chosen.length) body.agent_ids = chosen;
    if (Object.keys(settings).length) body.configuration = settings;
    setSending(true);
    try {
      const { json, headers } = await send("POST", "/benchmarks/run", body);
      location.hash = link("live", { run: headers.get("X-Run-Id") ?? json.run_id });
    } catch (failure) {
      setError(failure);
      setSending(false);
    }
  };
  return html`<${Card} title="What to run">
    <form class="form" onSubmit=${submit}>
      <label class="field">Suite<select class="btn" name="suite" value=${suite} onChange=${(e) => setSuite(e.target.value)}>${suites.map((s) => html`<option value=${s.name} selected=${s.name === suite}>${s.title ? `${s.name}: ${s.title}` : s.name}</option>`)}</select></label>
      ${choice.length > 0 && html`<fieldset class="plainset"><legend class="small muted">Agents; none chosen: those of the suite</legend>
        ${choice.map(([name, whose]) => html`<label class="check" key=${`${suite}/${name}`}><input type="checkbox" name="agent" value=${name} /> <${Name}>${name}<//> <span class="faint small">${whose}</span></label>`)}</fieldset>`}
      ${allowed.length > 0
        ? html`<label class="field"><span>Settings, a line each; this suite allows ${allowed.map((path, i) => html`${i > 0 && ", "}<code data-name="">${path}</code>`)}</span><textarea class="btn mono" name="settings" rows="3" cols="36" placeholder=${`${allowed[0]} = `}></textarea></label>`
        : whole && html`<p class="small muted">This suite allows no settings: <code>overridable</code> in its file lists what may be set.</p>`}
      ${error && html`<${Failed} error=${error} />`}
      <button class="btn primary" disabled=${sending}>Start</button>
    </form>
  <//>`;
}

function Queue({ queue }) {
  const list = queue.data?.requests ?? [];
  return html`<${Card} title="Waiting and running" flush tools=${html`<button class="link" onClick=${queue.again}>Refresh</button>`}>
    ${queue.error && html`<${Failed} error=${queue.error} again=${queue.again} />`}
    ${list.length > 0 && html`<ul class="rows first">${list.map((r) => html`<li><a class="agent" href=${link("live", { run: r.run_id })}><${Name}>${r.suite_id}<//></a><span class="small muted"><${T} of=${r} k="state" />, asked <${When} of=${r} k="created_at" /></span></li>`)}</ul>`}
    ${queue.data && !list.length && html`<div class="empty">Nothing waits and nothing runs.</div>`}
  <//>`;
}
