// Tables from a list of columns. The same list makes the table form of a chart and its
// CSV file, so that the three cannot differ.
//
// A column: { name, get(row): full value for CSV, show(row): what is seen (default: get),
// num: right-aligned, full: a line of its own on a phone, key: sorts by it when asked }.
import { html } from "../lib/html.js";
import { N, Name } from "./number.js";

/** A column of numbers at `k` of each row (`part`: of an object within the row). */
export function numberColumn(name, k, f, part = (row) => row) {
  return { name, num: true, get: (row) => part(row)?.[k], show: (row) => (part(row) ? html`<${N} of=${part(row)} k=${k} f=${f} />` : "–") };
}

export const textColumn = (name, get) => ({ name, get, show: (row) => html`<${Name}>${get(row)}<//>` });

export function Table({ columns, rows, caption, fold = true, class: extra = "", rowProps = () => ({}) }) {
  return html`<table class="${fold ? "fold" : ""} ${extra}">
    <caption class="sr">${caption}</caption>
    <thead><tr>${columns.map((c) => html`<th scope="col" class=${c.num ? "num" : ""}>${c.head ?? c.name}</th>`)}</tr></thead>
    <tbody>
      ${rows.map(
        (row, i) => html`<tr key=${i} ...${rowProps(row, i)}>
          ${columns.map(
            (c, j) => html`<td class="${c.num ? "num" : ""} ${c.full ? "full" : ""}" data-l=${j === 0 ? undefined : c.name}>${c.show ? c.show(row) : c.get(row)}</td>`,
          )}
        </tr>`,
      )}
    </tbody>
  </table>`;
}
