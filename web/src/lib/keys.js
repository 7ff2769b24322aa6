// Keys of the page. A view offers what j, k, Enter and Esc do there; nothing is taken
// from a reader who is typing, or holding Ctrl, Alt or Meta.
import { useLayoutEffect } from "preact/hooks";

const actions = []; // the newest view's come first

export const KEYS = [
  ["j", "next case or row"],
  ["k", "previous one"],
  ["Enter", "open it"],
  ["Esc", "close it"],
  ["f", "to the filters"],
  ["t", "charts or tables"],
  ["d", "light or dark"],
  ["?", "this list"],
];

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const typing = event.target.closest?.("input:not([type=range]), textarea, select, dialog");
  if (typing) return;
  if (event.key === "Enter" && event.target.closest?.("a, button, summary")) return;
  for (const table of actions) {
    const act = table[event.key];
    if (act && act(event) !== false) {
      event.preventDefault();
      return;
    }
  }
});

/** While the component is shown, these keys do this: { j: () => ... }. */
export function useKeys(table) {
  // With the drawing, not after it: a key that follows at once must meet what is shown.
  useLayoutEffect(() => {
    actions.unshift(table);
    return () => void actions.splice(actions.indexOf(table), 1);
  });
}
