import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer to the end than this, in pixels, counts as being at the end. */
const nearPx = 48;

interface Content {
  /** Another object whenever there is something new to show. */
  readonly shown: unknown;
  /** Another value when the reader has done something whose result is at the end. */
  readonly ownAction: unknown;
}

/**
 * Keeps a scrolling element at its end while its content grows, unless the reader has scrolled up.
 * Attach `onScroll` to the element.
 */
export const useStickToEnd = (element: RefObject<HTMLElement | null>, content: Content) => {
  const sticks = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  const onScroll = useCallback(() => {
    const { current } = element;
    if (!current) return;
    sticks.current = current.scrollHeight - current.scrollTop - current.clientHeight < nearPx;
    setAtEnd(sticks.current);
  }, [element]);

  const toEnd = useCallback(() => {
    element.current?.scrollTo({ top: element.current.scrollHeight });
  }, [element]);

  useLayoutEffect(toEnd, [content.ownAction, toEnd]);
  useLayoutEffect(() => {
    if (sticks.current) toEnd();
  }, [content.shown, toEnd]);

  // What appears beside the element makes it smaller, which would hide its end.
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => {
      if (sticks.current) toEnd();
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, toEnd]);

  return { onScroll, atEnd, toEnd };
};
