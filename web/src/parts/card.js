// A card: title, what the marks mean in one line, the tools, the body. Where it has a
// table form the reader can switch to it, and the address says so.
import { useRef } from "preact/hooks";
import { html } from "../lib/html.js";
import { saveCsv, savePng, saveSvg } from "../lib/download.js";
import { setParams, useUrl } from "../lib/url.js";
import { Table } from "./table.js";

const slug = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

/** Whether the card named `id` is to be a table, and a function that changes it. */
function useTableForm(id) {
  const { params } = useUrl();
  const shown = (params.table ?? "").split(",").filter(Boolean);
  const on = shown.includes("all") || shown.includes(id);
  const flip = () => {
    const next = on ? shown.filter((s) => s !== id && s !== "all") : [...shown, id];
    setParams({ table: next.join(",") }, { replace: true });
  };
  return [on, flip];
}

/**
 * `table`: { columns, rows } of the same content. `flush`: the body is a table that goes to
 * the edges. `drawn`: the body has a drawing that can be saved.
 */
export function Card({ title, sub, table, drawn = false, flush = false, note, tools, file, class: extra = "", children }) {
  const id = slug(typeof title === "string" ? title : file);
  const [asTable, flip] = useTableForm(id);
  const box = useRef(null);
  const svg = () => box.current?.querySelector("svg.ch");
  const name = `assay-${file ?? id}`;
  const isTable = asTable && table && drawn;
  return html`<section class="card ${extra}" ref=${box} aria-label=${typeof title === "string" ? title : file}>
    <header>
      <h2>${title}</h2>
      ${sub && html`<p>${sub}</p>`}
      ${(tools || table) &&
      html`<span class="end">
        ${tools}
        ${table && drawn && html`<button class="link" aria-pressed=${isTable ? "true" : "false"} onClick=${flip}>${isTable ? "Chart" : "Table"}</button>`}
        ${table && html`<button class="link" onClick=${() => saveCsv(name, table)}>CSV</button>`}
        ${drawn && !isTable && html`<button class="link" onClick=${() => saveSvg(name, svg())}>SVG</button>`}
        ${drawn && !isTable && html`<button class="link" onClick=${() => savePng(name, svg())}>PNG</button>`}
      </span>`}
    </header>
    ${isTable
      ? html`<div class="flush scroll" tabindex="0" role="group" aria-label="${title} as a table"><${Table} ...${table} caption=${title} /></div>`
      : html`<div class=${flush ? "flush" : "body"}>${children}</div>`}
    ${note && html`<div class="note">${note}</div>`}
  </section>`;
}
