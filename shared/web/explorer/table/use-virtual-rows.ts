import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

interface VirtualRows {
  readonly items: readonly VirtualItem[];
  /** Height of the rows before the first item and after the last, in pixels. */
  readonly before: number;
  readonly after: number;
  /** To be called with each row that is rendered, with the attribute `data-index`; it may be higher than estimated. */
  readonly measure: (row: HTMLElement | null) => void;
}

/** @returns the rows to render, usually `height` pixels high: those in sight and up to 12 at each end */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, count: number, height: number): VirtualRows {
  const [, update] = useState({});
  const [virtual] = useState(
    () => new Virtualizer<HTMLElement, HTMLElement>(optionsOf(scroller, count, height, () => update({}))),
  );
  virtual.setOptions(optionsOf(scroller, count, height, () => update({})));
  // as TanStack's framework adapters do: attach on mount, and look for the scroll element after each render
  useEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => virtual.measure(), [virtual, height]); // discards cached sizes
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return {
    items,
    before: first?.start ?? 0,
    after: Math.max(0, virtual.getTotalSize() - (last?.end ?? 0)),
    measure: virtual.measureElement,
  };
}

function optionsOf(scroller: RefObject<HTMLElement | null>, count: number, height: number, onChange: () => void) {
  return {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange,
  };
}
