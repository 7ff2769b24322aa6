// A long series on a canvas: uPlot draws tens of thousands of points at once and follows
// a run while it grows.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { html } from "../lib/html.js";
import { format } from "../lib/format.js";

const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function options({ width, height, kind, xKind, level, lines }) {
  const axis = { stroke: token("--ink-2"), font: "11px sans-serif", grid: { stroke: token("--grid"), width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: true, y: false } },
    scales: { x: { time: false } },
    axes: [
      { ...axis, values: (_, marks) => marks.map((v) => format(v, xKind)) },
      { ...axis, size: 62, values: (_, marks) => marks.map((v) => format(v, kind)) },
    ],
    series: [
      {},
      {
        stroke: token("--data"),
        width: lines ? 1.5 : 0,
        paths: lines ? undefined : () => null,
        points: { show: true, size: 3, fill: token("--data-2"), stroke: token("--data-2") },
      },
    ],
    hooks: {
      drawClear: [
        (u) => {
          if (!level || level.low === null) return;
          const [top, bottom] = [u.valToPos(level.high, "y", true), u.valToPos(level.low, "y", true)];
          u.ctx.fillStyle = token("--band");
          u.ctx.fillRect(u.bbox.left, top, u.bbox.width, bottom - top);
        },
      ],
    },
  };
}

export function SeriesCanvas({ points, level, kind, xKind, label, height = 168, lines = false }) {
  const box = useRef(null);
  const plot = useRef(null);
  const data = [points.map((p) => p.x), points.map((p) => p.y)];
  useEffect(() => {
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options({ width: box.current.clientWidth, height, kind, xKind, level, lines }), data, box.current);
    };
    make();
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: box.current.clientWidth, height }));
    observer.observe(box.current);
    const theme = new MutationObserver(make);
    theme.observe(document.documentElement, { attributes: true });
    return () => {
      observer.disconnect();
      theme.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [kind, xKind, level?.low, level?.high]);
  useEffect(() => plot.current?.setData(data));
  return html`<div class="uplot-box" role="img" aria-label=${label} ref=${box} style=${{ minHeight: `${height}px` }}></div>`;
}
