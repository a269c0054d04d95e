/** Finds, sorts and pages the rows that pass a filter, as crates/pages/src/filter does. */

import type { Filter, Range } from "./filter";
import type { IndexedRow } from "./rows";
import type { Row } from "./types";

type Test = (indexed: IndexedRow) => boolean;

/** Returns the rows that pass, in the filter's order. */
export function selectRows(
  rows: IndexedRow[],
  filter: Filter,
  pair: [string, string] | null,
  holdsText: Test | null,
): IndexedRow[] {
  const tests = [...testsOf(filter), pair && pairTest(pair), holdsText].filter(
    (test) => test !== null,
  );
  return sortRows(
    rows.filter((row) => tests.every((test) => test(row))),
    filter.sort,
  );
}

function testsOf(filter: Filter): (Test | null)[] {
  const {
    system,
    item,
    category,
    outcome,
    winner,
    flipped,
    split,
    people,
    failure,
    confidence,
    cost,
  } = filter;
  return [
    system === null
      ? null
      : ({ row }) =>
          row.a === system || row.b === system || (row.systems?.includes(system) ?? false),
    item === null ? null : ({ row }) => row.item === item,
    category === null ? null : ({ row }) => row.category === category,
    outcome === null ? null : ({ row }) => row.outcome === outcome,
    winner === null
      ? null
      : ({ row }) =>
          (row.outcome === "a" && row.a === winner) || (row.outcome === "b" && row.b === winner),
    flipped === null ? null : ({ row }) => row.flipped === flipped,
    split === null ? null : ({ row }) => row.split === split,
    people === null
      ? null
      : ({ row }) =>
          row.people !== null &&
          (people === "any" || (row.people === row.outcome) === (people === "agree")),
    failure === null
      ? null
      : ({ row }) =>
          [row.ab, row.ba].some(
            (cell) =>
              cell !== null &&
              cell.failure !== null &&
              (failure === "any" || cell.failure === failure),
          ),
    rangeTest(confidence, (row) => row.confidence),
    rangeTest(cost, (row) => row.cost),
  ];
}

function pairTest([one, other]: [string, string]): Test {
  return ({ row }) => (row.a === one && row.b === other) || (row.a === other && row.b === one);
}

function rangeTest(range: Range | null, read: (row: Row) => number | null): Test | null {
  if (!range) return null;
  return ({ row }) => {
    const found = read(row);
    return found !== null && range.low <= found && found <= range.high;
  };
}

/** Rows without the figure come last, and equal ones in plan order. */
function sortRows(rows: IndexedRow[], sort: string): IndexedRow[] {
  const down = sort.startsWith("-") ? -1 : 1;
  const figures: Record<string, (indexed: IndexedRow) => number | null> = {
    confidence: ({ row }) => row.confidence,
    cost: ({ row }) => row.cost,
    item: ({ item }) => item,
  };
  const read = figures[sort.replace(/^-/, "")];
  if (!read) return rows;
  const figure = (indexed: IndexedRow) => {
    const found = read(indexed);
    return found === null ? Infinity : down * found;
  };
  return rows
    .map((row) => ({ row, by: figure(row) }))
    .sort((one, other) => compare(one.by, other.by))
    .map(({ row }) => row);
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
