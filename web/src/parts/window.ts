/** Rows of a long list, fetched by pages as they come into view. */

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { SourceError, type Source } from "../source/source";
import type { Row, Rows } from "../source/types";

const PAGE = 100;
const RETRY = 2000;
/** Browsers end an element at some 17 million pixels: longer lists come in blocks. */
export const BLOCK = 200_000;

export interface PagedRows {
  total: number | null;
  /** Rows of the run when the last page of these was read. */
  of: number | null;
  searched: string | null;
  error: string | null;
  at(index: number): Row | undefined;
}

type Pages = Map<number, Row[] | null>;

interface Paged {
  query: string;
  total: number | null;
  of: number | null;
  searched: string | null;
  error: string | null;
}

/** Rows of a query by pages. While those of a newer version come in, and where they do not come,
 * the older ones stay. */
export function usePagedRows(
  source: Source,
  version: string,
  query: string,
  from: number,
  to: number,
): PagedRows {
  const store = useRef<{ key: string; query: string; pages: Pages; older: Pages }>({
    key: "",
    query: "",
    pages: new Map(),
    older: new Map(),
  });
  const [state, setState] = useState<Paged & { changes: number }>({
    query: "",
    total: null,
    of: null,
    searched: null,
    error: null,
    changes: 0,
  });
  const [retries, setRetries] = useState(0);
  const key = `${version}|${query}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` has the query; pages count.
  useEffect(() => {
    const { current } = store;
    if (current.key !== key)
      store.current = {
        key,
        query,
        pages: new Map(),
        older:
          current.query === query
            ? new Map([...current.older, ...known(current.pages)])
            : new Map(),
      };
    const { pages } = store.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const change = (changes: Partial<Paged>) =>
      setState((old) => ({
        ...(old.query === query ? old : { total: null, of: null, searched: null, error: null }),
        query,
        ...changes,
        changes: old.changes + 1,
      }));
    const accept = (page: number, found: Rows) => {
      pages.set(page, found.rows);
      if (store.current.pages === pages)
        change({ total: found.total, of: found.of, searched: found.searched, error: null });
    };
    const refuse = (page: number, error: unknown) => {
      pages.delete(page);
      if (store.current.pages !== pages) return;
      change({ error: String(error instanceof Error ? error.message : error) });
      if (error instanceof SourceError && error.status === 0)
        timer = setTimeout(() => setRetries((times) => times + 1), RETRY);
    };
    for (
      let page = Math.floor(from / PAGE);
      page <= Math.floor(Math.max(from, to) / PAGE);
      page += 1
    ) {
      if (pages.has(page)) continue;
      pages.set(page, null);
      const limits = new URLSearchParams(query);
      limits.set("offset", String(page * PAGE));
      limits.set("limit", String(PAGE));
      source.loadRows(limits.toString()).then(
        (found) => accept(page, found),
        (error: unknown) => refuse(page, error),
      );
    }
    return () => clearTimeout(timer);
  }, [source, key, retries, Math.floor(from / PAGE), Math.floor(to / PAGE)]);
  const fresh = state.query === query;
  const { pages, older } = store.current;
  const rowsOf = (page: number) =>
    store.current.query === query ? (pages.get(page) ?? older.get(page)) : null;
  return {
    total: fresh ? state.total : null,
    of: fresh ? state.of : null,
    searched: fresh ? state.searched : null,
    error: fresh ? state.error : null,
    at: (index) => rowsOf(Math.floor(index / PAGE))?.[index % PAGE],
  };
}

function known(pages: Pages): [number, Row[]][] {
  return [...pages].filter((entry): entry is [number, Row[]] => entry[1] !== null);
}

export function useVirtual(
  holder: RefObject<HTMLElement | null>,
  count: number,
  height: number,
): { items: VirtualItem[]; size: number; scrollTo: (index: number) => void } {
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: `virtual` is always the same.
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads the height by itself.
  useLayoutEffect(() => virtual.measure(), [height]);
  return {
    items: virtual.getVirtualItems(),
    size: virtual.getTotalSize(),
    scrollTo: (index) => virtual.scrollToIndex(index, { align: "auto" }),
  };
}
