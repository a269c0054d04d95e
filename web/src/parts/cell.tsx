import { sideOf } from "../source/looks";
import type { Cell, Row } from "../source/types";
import { formatNumber, formatPercent } from "../text/format";
import { plainText, Shown } from "../text/visible";

/** What one order came to, in terms of the systems of the row. */
export function OrderCell({
  row,
  cell,
  swapped,
}: {
  row: Row;
  cell: Cell | null;
  swapped: boolean;
}) {
  if (!cell) return <span class="muted">–</span>;
  if (cell.failure !== null)
    return (
      <span class="failure">
        <Shown text={cell.failure} />
      </span>
    );
  if (cell.score !== null) return <span class="num">{formatNumber(cell.score, 2)}</span>;
  if (cell.places) return <span class="num">{cell.places.join(", ")}</span>;
  if (!cell.p) return <span class="muted">–</span>;
  const [a, tie, b] = swapped ? [cell.p[2], cell.p[1], cell.p[0]] : cell.p;
  const side = sideOf([a, tie, b]);
  return (
    <span class="order">
      <Bar a={a} tie={tie} b={b} />
      <span class={`side ${side}`}>
        {side === "tie" ? "tie" : <Named row={row} system={nameOf(row, side)} />}{" "}
        {formatPercent({ a, tie, b }[side])}
      </span>
    </span>
  );
}

export function Bar({ a, tie, b }: { a: number; tie: number; b: number }) {
  const width = (share: number) => ({ width: `${100 * Math.max(0, Math.min(1, share))}%` });
  return (
    <span class="prob" aria-hidden="true">
      <i class="a" style={width(a)} />
      <i class="tie" style={width(tie)} />
      <i class="b" style={width(b)} />
    </span>
  );
}

/** A system of a pair by its name, in its colour. */
export function Named({ row, system }: { row: Row; system: string }) {
  return (
    <span class={`named ${system === row.a ? "a" : "b"}`} title={plainText(system)}>
      <Shown text={system} />
    </span>
  );
}

/** The name of a side of a pair. */
function nameOf(row: Row, side: string): string {
  return side === "a" ? row.a : (row.b ?? "");
}

/** The system that a list puts first. */
export function firstOfList(row: Row): string | null {
  const places = (row.ab ?? row.ba)?.places;
  return places && row.systems ? (row.systems[places.indexOf(Math.min(...places))] ?? null) : null;
}

export function OutcomeText({ row }: { row: Row }) {
  const first = firstOfList(row);
  if (first !== null)
    return (
      <>
        <small>first</small> <Shown text={first} />
      </>
    );
  if (row.outcome === "none")
    return row.score === null ? (
      <span class="failure">no verdict</span>
    ) : (
      <>{formatNumber(row.score, 2)}</>
    );
  if (row.outcome === "tie") return <>tie</>;
  return <Named row={row} system={nameOf(row, row.outcome)} />;
}

export function Flags({ row }: { row: Row }) {
  const against = row.people !== null && row.outcome !== "none" && row.people !== row.outcome;
  return (
    <>
      {row.flipped && <span class="flag">flipped</span>}
      {row.split && <span class="flag">split</span>}
      {against && (
        <span class="flag">
          people: {row.people === "tie" ? "tie" : <Shown text={nameOf(row, row.people ?? "")} />}
        </span>
      )}
    </>
  );
}
