import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Route } from "./route";
import type { Source } from "./source/source";
import type { Overview } from "./source/types";

export interface Context {
  source: Source;
  overview: Overview;
  route: Route;
}

export const PageContext = createContext<Context | null>(null);

export function usePage(): Context {
  const found = useContext(PageContext);
  if (!found) throw new Error("a page stands outside of its context");
  return found;
}

export interface Loaded<T> {
  data: T | null;
  error: string | null;
  /** Until there is a first answer, or an error: data that is null says nothing yet. */
  loading: boolean;
}

/** Loads anew whenever one of the keys changes. What came before stays until then, and where
 * loading fails too, unless it is `of` something else. */
export function useLoaded<T>(
  load: () => Promise<T>,
  keys: unknown[],
  of: unknown[] = keys,
): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { of: unknown[] }>({
    data: null,
    error: null,
    loading: true,
    of,
  });
  useEffect(() => {
    let current = true;
    const accept = (found: Loaded<T>) =>
      current &&
      setState((old) => ({
        ...found,
        data: found.data ?? (isSame(old.of, of) ? old.data : null),
        of,
      }));
    load().then(
      (data) => accept({ data, error: null, loading: false }),
      (error: unknown) =>
        accept({
          data: null,
          error: error instanceof Error ? error.message : String(error),
          loading: false,
        }),
    );
    return () => {
      current = false;
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what loads anew.
  }, keys);
  return state;
}

function isSame(one: unknown[], other: unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}

/** Listens for keys, except where someone types; the handler of the latest drawing is the one that
 * answers. */
export function useKeys(handle: (key: string) => boolean): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement &&
        event.target.matches("input:not([type=checkbox]), textarea, select");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
