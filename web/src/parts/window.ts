/** Rows of a long list, fetched by pages as they come into view. */

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer, type VirtualItem } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Source } from "../source/source";
import type { Row, Rows } from "../source/types";

const PAGE = 100;
/** Browsers end an element at some 17 million pixels: longer lists come in blocks. */
export const BLOCK = 200_000;

export interface PagedRows {
  total: number | null;
  searched: string | null;
  error: string | null;
  at(index: number): Row | undefined;
}

export function usePagedRows(source: Source, version: string, query: string, from: number, to: number): PagedRows {
  const store = useRef({ key: "", pages: new Map<number, Row[] | null>() });
  const [state, setState] = useState<{ key: string; total: number | null; searched: string | null; error: string | null; loaded: number }>({ key: "", total: null, searched: null, error: null, loaded: 0 });
  const key = `${version}|${query}`;
  useEffect(() => {
    if (store.current.key !== key) store.current = { key, pages: new Map() };
    const { pages } = store.current;
    const accept = (page: number, found: Rows) => {
      if (store.current.key !== key) return;
      pages.set(page, found.rows);
      setState((old) => ({ key, total: found.total, searched: found.searched, error: null, loaded: old.loaded + 1 }));
    };
    for (let page = Math.floor(from / PAGE); page <= Math.floor(Math.max(from, to) / PAGE); page += 1) {
      if (pages.has(page)) continue;
      pages.set(page, null);
      const limits = new URLSearchParams(query);
      limits.set("offset", String(page * PAGE));
      limits.set("limit", String(PAGE));
      source.loadRows(limits.toString()).then(
        (found) => accept(page, found),
        (error: unknown) => store.current.key === key && setState({ key, total: 0, searched: null, error: String(error instanceof Error ? error.message : error), loaded: 0 }),
      );
    }
  }, [source, key, Math.floor(from / PAGE), Math.floor(to / PAGE)]);
  const fresh = state.key === key;
  return {
    total: fresh ? state.total : null,
    searched: fresh ? state.searched : null,
    error: fresh ? state.error : null,
    at: (index) => (store.current.key === key ? (store.current.pages.get(Math.floor(index / PAGE))?.[index % PAGE] ?? undefined) : undefined),
  };
}

export function useVirtual(holder: RefObject<HTMLElement | null>, count: number, height: number): { items: VirtualItem[]; size: number; scrollTo: (index: number) => void } {
  const [, redraw] = useState(0);
  const options = {
    count,
    getScrollElement: () => holder.current,
    estimateSize: () => height,
    overscan: 12,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw((times) => times + 1),
  };
  const [virtual] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => virtual.measure(), [height]);
  return { items: virtual.getVirtualItems(), size: virtual.getTotalSize(), scrollTo: (index) => virtual.scrollToIndex(index, { align: "auto" }) };
}
