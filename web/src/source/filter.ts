/** Filters, sorting and paging of rows by the query that a server understands too. */

import type { IndexedRow } from "./rows";
import type { Row } from "./types";

type Test = (indexed: IndexedRow) => boolean;

export function filterRows(rows: IndexedRow[], query: URLSearchParams, systems: string[], findText: (words: string) => Test): IndexedRow[] {
  const tests = Array.from(query, ([key, value]) => testOf(key, value, systems, findText)).filter((test) => test !== null);
  return rows.filter((row) => tests.every((test) => test(row)));
}

function testOf(key: string, value: string, systems: string[], findText: (words: string) => Test): Test | null {
  if (value === "") return null;
  switch (key) {
    case "system":
      return ({ row }) => hasSystem(row, value);
    case "pair":
      return pairTest(value, systems);
    case "item":
      return ({ row }) => row.item === value;
    case "category":
      return ({ row }) => row.category === value;
    case "outcome":
      return ({ row }) => row.outcome === value;
    case "winner":
      return ({ row }) => (row.outcome === "a" && row.a === value) || (row.outcome === "b" && row.b === value);
    case "flipped":
      return ({ row }) => row.flipped === (value !== "0");
    case "split":
      return ({ row }) => row.split === (value !== "0");
    case "people":
      return ({ row }) => row.people !== null && (value === "any" || (row.people === row.outcome) === (value === "agree"));
    case "failure":
      return ({ row }) => [row.ab, row.ba].some((cell) => cell?.failure != null && (value === "any" || cell.failure === value));
    case "confidence":
      return rangeTest(value, (row) => row.confidence);
    case "cost":
      return rangeTest(value, (row) => row.cost);
    case "text":
      return findText(value);
    default:
      return null;
  }
}

function hasSystem(row: Row, system: string): boolean {
  return row.a === system || row.b === system || (row.systems?.includes(system) ?? false);
}

/** Names may hold the mark between them, so every place where it stands is tried. */
function pairTest(value: string, systems: string[]): Test {
  const known = new Set(systems);
  for (let at = value.indexOf("~"); at >= 0; at = value.indexOf("~", at + 1)) {
    const [one, other] = [value.slice(0, at), value.slice(at + 1)];
    if (known.has(one) && known.has(other)) {
      return ({ row }) => (row.a === one && row.b === other) || (row.a === other && row.b === one);
    }
  }
  return () => false;
}

function rangeTest(value: string, read: (row: Row) => number | null): Test {
  const [low = "", high = ""] = value.split("..");
  const from = low === "" ? -Infinity : Number(low);
  const to = high === "" ? Infinity : Number(high);
  return ({ row }) => {
    const found = read(row);
    return found !== null && found >= from && found <= to;
  };
}

export function sortRows(rows: IndexedRow[], sort: string | null): IndexedRow[] {
  const field = sort?.replace(/^-/, "");
  const down = sort?.startsWith("-") ? -1 : 1;
  if (field === "confidence") return sortByNumber(rows, (row) => row.confidence, down);
  if (field === "cost") return sortByNumber(rows, (row) => row.cost, down);
  if (field === "item") return [...rows].sort((one, other) => compareText(one.row.item, other.row.item) || one.row.id - other.row.id);
  return rows;
}

function sortByNumber(rows: IndexedRow[], read: (row: Row) => number | null, down: number): IndexedRow[] {
  return [...rows].sort((one, other) => {
    const [left, right] = [read(one.row), read(other.row)];
    if (left === null || right === null) return Number(left === null) - Number(right === null) || one.row.id - other.row.id;
    return down * (left - right) || one.row.id - other.row.id;
  });
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
