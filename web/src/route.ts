/** Where the reader is: the hash of the address, so that a page from a file keeps it too. */

import { useEffect, useState } from "preact/hooks";

export interface Route {
  /** The run of a folder of runs, where one was opened. */
  run: string | null;
  page: string;
  argument: string | null;
  query: URLSearchParams;
}

export function parseHash(hash: string): Route {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#\/?/, ""), "?");
  const parts = path.split("/").map(decodePart);
  const run = parts[0] === "run" ? (parts[1] ?? null) : null;
  const [page = "", argument = null] = run === null ? parts : parts.slice(2);
  return { run, page: page || "ranking", argument, query: new URLSearchParams(query) };
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function linkTo(
  route: Pick<Route, "run">,
  page: string,
  query?: URLSearchParams | Record<string, string>,
): string {
  const base = route.run === null ? "#/" : `#/run/${encodeURIComponent(route.run)}/`;
  const text = query ? new URLSearchParams(query).toString() : "";
  return `${base}${page === "ranking" ? "" : page}${text ? `?${text}` : ""}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseHash(location.hash));
  useEffect(() => {
    const update = () => setRoute(parseHash(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}

/** Returns the query with keys set, or left out where the value is null. */
export function changeQuery(
  query: URLSearchParams,
  changes: Record<string, string | null>,
): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") changed.delete(key);
    else changed.set(key, value);
  }
  return changed;
}
