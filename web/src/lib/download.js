// A chart or table as a file: SVG and PNG as drawn now, CSV with full numbers.
const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "shape-rendering"];

function save(name, blob) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10e3);
}

/** The drawing with its styles written into it: it looks the same anywhere. */
export function svgText(svg) {
  const copy = svg.cloneNode(true);
  const { width, height } = svg.getBoundingClientRect();
  const from = [svg, ...svg.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of DRAWN) {
      const value = style.getPropertyValue(name);
      if (value && (value !== "none" || name === "fill")) to[i].setAttribute(name, value);
    }
    for (const attribute of [...to[i].attributes]) {
      if (/^(class|style|data-|tabindex|aria-)/.test(attribute.name)) to[i].removeAttribute(attribute.name);
    }
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("x", -24);
  ground.setAttribute("y", -24);
  ground.setAttribute("width", width + 48);
  ground.setAttribute("height", height + 48);
  ground.setAttribute("fill", getComputedStyle(document.documentElement).getPropertyValue("--surface"));
  copy.prepend(ground);
  copy.setAttribute("viewBox", `-12 -12 ${width + 24} ${height + 24}`);
  return new XMLSerializer().serializeToString(copy);
}

export const saveSvg = (name, svg) => save(`${name}.svg`, new Blob([svgText(svg)], { type: "image/svg+xml" }));

export async function savePng(name, svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.drawImage(image, 0, 0);
  canvas.toBlob((blob) => save(`${name}.png`, blob), "image/png");
}

// A cell that a spreadsheet would take for a formula gets an apostrophe, numbers do not.
function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Columns are { name, get }, see parts/card.js. */
export function csvText({ columns, rows }) {
  const lines = [columns.map((c) => cell(c.name))];
  for (const row of rows) lines.push(columns.map((c) => cell(c.get(row))));
  return lines.map((line) => line.join(",")).join("\r\n") + "\r\n";
}

export const saveCsv = (name, table) => save(`${name}.csv`, new Blob([csvText(table)], { type: "text/csv" }));
