// The frame of every drawing: its width as the page gives it, a name that states its
// content, and points that mouse, touch and arrow keys reach. The card of the point is
// also read out.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../lib/html.js";

function useWidth(ref) {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const measure = () => setWidth(Math.round(ref.current?.getBoundingClientRect().width ?? 0));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

function nearest(points, x, y) {
  let best = -1;
  let least = 40 ** 2;
  points.forEach((p, i) => {
    const away = (p.x - x) ** 2 + ((p.y - y) / 2) ** 2;
    if (away < least) [best, least] = [i, away];
  });
  return best;
}

function step(points, from, key) {
  if (key === "ArrowRight" || key === "ArrowDown") return Math.min(points.length - 1, from + 1);
  if (key === "ArrowLeft" || key === "ArrowUp") return Math.max(0, from - 1);
  if (key === "Home") return 0;
  if (key === "End") return points.length - 1;
  return null;
}

/**
 * `draw(width)` gives { body, points }: the drawing, and [{ x, y, card }] for those that
 * can be reached. The place is kept while the width is not known yet: nothing jumps.
 */
export function Chart({ label, height, draw, name }) {
  const box = useRef(null);
  const width = useWidth(box);
  const [here, setHere] = useState(-1);
  const tall = typeof height === "function" ? height(width || 600) : height;
  const { body, points = [] } = width ? draw(width) : { body: null };
  const shown = points[here];

  const move = (event) => {
    const frame = box.current.getBoundingClientRect();
    setHere(nearest(points, event.clientX - frame.left, event.clientY - frame.top));
  };
  const key = (event) => {
    if (event.key === "Escape" && here >= 0) {
      setHere(-1);
      event.preventDefault();
      return;
    }
    const next = step(points, here, event.key);
    if (next === null || points.length === 0) return;
    event.preventDefault();
    setHere(next);
  };
  const reach = points.length
    ? { tabIndex: 0, onPointerMove: move, onPointerDown: move, onPointerLeave: () => setHere(-1), onKeyDown: key, onBlur: () => setHere(-1) }
    : {};
  // role img would hide the points: a group with a name, and a live region for the point
  return html`<div class="chart" ref=${box} role="group" aria-label=${label} data-chart=${name ?? ""} ...${reach}>
    <svg class="ch" height=${tall} viewBox=${`0 0 ${width || 600} ${tall}`} role="img" aria-label=${label}>
      ${body}
      ${shown && html`<circle class="here" cx=${shown.x} cy=${shown.y} r="6" />`}
    </svg>
    <div aria-live="polite">${shown && html`<${HoverCard} point=${shown} width=${width} height=${tall} />`}</div>
  </div>`;
}

function HoverCard({ point, width, height }) {
  const left = point.x > width - 270 ? Math.max(0, point.x - 262) : point.x + 14;
  const place = point.y > height / 2 ? { bottom: `${height - point.y + 10}px` } : { top: `${point.y + 10}px` };
  return html`<div class="hovercard" style=${{ left: `${left}px`, ...place }}>${point.card}</div>`;
}
