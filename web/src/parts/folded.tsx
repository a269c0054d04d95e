import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { formatNumber } from "../text/format";

export interface Part {
  title: string;
  /** What it lists; their number stands beside the title. */
  rows: unknown[];
  body: ComponentChildren;
}

/** The parts of a long page: the first is open, and a list of all leads to each. */
export function FoldedParts({ parts }: { parts: Part[] }) {
  const folds = useRef<(HTMLDetailsElement | null)[]>([]);
  const show = (at: number) => {
    const fold = folds.current[at];
    if (!fold) return;
    fold.open = true;
    fold.scrollIntoView();
    fold.querySelector("summary")?.focus();
  };
  return (
    <>
      {parts.length > 2 && (
        <nav class="contents no-print" aria-label="Contents">
          {parts.map(({ title }, at) => (
            <button key={title} type="button" onClick={() => show(at)}>
              {title}
            </button>
          ))}
        </nav>
      )}
      {parts.map(({ title, rows, body }, at) => (
        <details
          key={title}
          class="part"
          open={at === 0}
          ref={(fold) => {
            folds.current[at] = fold;
          }}
        >
          <summary>
            <h2>{title}</h2> <small>{formatNumber(rows.length)}</small>
          </summary>
          {body}
        </details>
      ))}
    </>
  );
}
