// A link to a part of a view opens there, and not at the head of the page.
import { useEffect, useRef } from "preact/hooks";

/** Scrolls to what `selector` finds once it `isThere`, where the address asked for it from the first. */
export function useOpenAt(selector, isAsked, isThere) {
  const isOpen = useRef(Boolean(isAsked));
  useEffect(() => {
    if (!isThere || !isOpen.current) return;
    isOpen.current = false;
    // the charts above know their width one frame later
    requestAnimationFrame(() => document.querySelector(selector)?.scrollIntoView({ block: "start" }));
  }, [isThere]);
}
