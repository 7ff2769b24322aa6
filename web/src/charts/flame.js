// Where time goes: the phases of an answer as one bar each, widths by their share, and the
// functions that were seen most in sampled stacks.
import { html } from "../lib/html.js";
import { Chart } from "./chart.js";
import { N } from "../parts/number.js";

/** bars: [{ name, start, length, card }], shares of the whole. */
export function Spans({ bars, label }) {
  const draw = (width) => ({
    body: bars.map((b, i) => {
      const x = b.start * width;
      const w = Math.max(1, b.length * width - 1);
      return html`<g><rect class="s-fill f${(i % 6) + 1} soft" x=${x} y="2" width=${w} height="24" rx="2" />
        ${w > 60 && html`<text class="lab" x=${x + 6} y="18" data-name="">${b.name}</text>`}</g>`;
    }),
    points: bars.map((b) => ({ x: (b.start + b.length / 2) * width, y: 14, card: b.card })),
  });
  return html`<${Chart} name="spans" label=${label} height=${28} draw=${draw} />`;
}

/** Folded stacks as a tree: { name, samples, children }. */
function treeOf(stacks) {
  const root = { name: "all", samples: 0, children: new Map() };
  for (const { stack, samples } of stacks) {
    root.samples += samples;
    let node = root;
    for (const name of stack.split(";")) {
      if (!node.children.has(name)) node.children.set(name, { name, samples: 0, children: new Map() });
      node = node.children.get(name);
      node.samples += samples;
    }
  }
  return root;
}

const ROW = 18;
const LEAST = 0.002; // share of the width below which a box is left out

/** Boxes of the tree: [{ name, samples, x, w, depth }], shares of the whole, callers above. */
function boxesOf(root) {
  const boxes = [];
  const put = (node, x, depth) => {
    const w = node.samples / root.samples;
    if (w < LEAST) return;
    boxes.push({ name: node.name, samples: node.samples, x, w, depth });
    let at = x;
    for (const child of [...node.children.values()].sort((a, b) => b.samples - a.samples)) {
      put(child, at, depth + 1);
      at += child.samples / root.samples;
    }
  };
  put(root, 0, 0);
  return boxes;
}

/** Gregg's flame graph, hanging: a box a function, as wide as its share of the samples. */
export function Flame({ stacks }) {
  const root = treeOf(stacks);
  const boxes = boxesOf(root);
  const deep = Math.max(...boxes.map((b) => b.depth)) + 1;
  const draw = (width) => ({
    body: boxes.map((b) => html`<g><rect class="f${(b.depth % 2) + 1} ${b.depth % 2 ? "soft" : "box-2"}" x=${b.x * width} y=${b.depth * ROW} width=${Math.max(0.5, b.w * width - 1)} height=${ROW - 1} rx="2" />
      ${b.w * width > 46 && html`<text class="onbox" x=${b.x * width + 4} y=${b.depth * ROW + 13} data-name="">${b.name.slice(0, Math.floor((b.w * width - 6) / 6.2))}</text>`}</g>`),
    points: boxes.map((b) => ({
      x: (b.x + b.w / 2) * width,
      y: b.depth * ROW + ROW / 2,
      card: html`<code data-name="">${b.name}</code><br /><${N} v=${b.samples} how="samples that passed through it" f="int" /> of <${N} v=${root.samples} how="all samples" f="int" /> samples, <${N} v=${b.w} how="share of the samples" f="pct" />`,
    })),
  });
  return html`<${Chart} name="flame" label=${`Flame graph of ${root.samples} samples, ${boxes.length} functions`} height=${deep * ROW + 4} draw=${draw} />`;
}

/** Functions by the samples in which they ran themselves. */
export function Functions({ list }) {
  const most = Math.max(...list.map((f) => f.total), 1e-9);
  return html`<ol class="functions">${list.map(
    (f) => html`<li><span class="bar" style=${{ width: `${(100 * f.total) / most}%` }}></span><code data-name="">${f.function}</code>
      <span class="faint"><${N} of=${f} k="self" f="int" /> samples itself, <${N} of=${f} k="total" f="int" /> with what it calls</span></li>`,
  )}</ol>`;
}
