/** Whether the server still answers, and what it holds by now. */

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SourceError, type Source } from "./source/source";

const POLL = 2000;

export interface Alive {
  /** What changes whenever the run has grown. */
  version: string;
  /** Why nothing more can be read; null while the server answers. */
  gone: string | null;
}

/** Asks the server every two seconds, once the run is `opened` and while the page can be seen; a
 * file stays as it is. */
export function useAlive(source: Source, opened: RefObject<boolean>): Alive {
  const [alive, setAlive] = useState<Alive>({ version: "", gone: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a ref is always the same.
  useEffect(() => {
    if (source.mode === "file") return;
    let ended = false;
    let asking = false;
    const ask = async () => {
      if (document.hidden || asking || !opened.current) return;
      asking = true;
      const found = await askVersion(source);
      asking = false;
      if (!ended)
        setAlive((old) =>
          found.gone === old.gone && (found.version ?? old.version) === old.version
            ? old
            : { version: found.version ?? old.version, gone: found.gone },
        );
    };
    const timer = setInterval(() => void ask(), POLL);
    const again = () => void ask();
    document.addEventListener("visibilitychange", again);
    return () => {
      ended = true;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [source]);
  return alive;
}

async function askVersion(
  source: Source,
): Promise<{ version: string | null; gone: string | null }> {
  try {
    return { version: await source.loadVersion(), gone: null };
  } catch (error) {
    return { version: null, gone: sayGone(error) };
  }
}

/** Returns null for an error of the run alone, which its pages show. */
function sayGone(error: unknown): string | null {
  const status = error instanceof SourceError ? error.status : 0;
  if (status === 0)
    return "The server has stopped. This page stays as it is, but nothing more can be opened. Start `evenhand view` again, and open the address that it prints.";
  if (status === 404)
    return "Another server answers here: it does not know this run. Open the address that it printed.";
  return null;
}
