import { diffWordsWithSpace } from "diff";
import { useMemo } from "preact/hooks";
import { Shown } from "./visible";

const LIMIT = 60_000;

/** One side of a word diff: what only this text has is marked. */
export function DiffSide({
  one,
  other,
  side,
}: {
  one: string;
  other: string;
  side: "left" | "right";
}) {
  const parts = useMemo(() => compareWords(one, other), [one, other]);
  if (!parts)
    return (
      <pre class="plain">
        <em>These texts are too long or too different to compare word by word.</em>
      </pre>
    );
  const [skip, mark] =
    side === "left" ? (["added", "removed"] as const) : (["removed", "added"] as const);
  return (
    <pre class="plain">
      {parts.map((part, index) =>
        part[skip] ? null : part[mark] ? (
          <mark key={index}>
            <Shown text={part.value} />
          </mark>
        ) : (
          <Shown key={index} text={part.value} />
        ),
      )}
    </pre>
  );
}

function compareWords(one: string, other: string) {
  if (one.length + other.length > LIMIT) return null;
  return diffWordsWithSpace(one, other, { timeout: 800 }) ?? null;
}
