/** Filters as crates/pages/src/filter reads them from a query: the same fields, values and
 * errors. */

import { SourceError } from "./source";

const FLAGS: Record<string, boolean> = { "1": true, "0": false, "": true };
const OUTCOMES = ["a", "b", "tie", "none"];
const PEOPLE = ["agree", "disagree", "any"];
const SORTS = ["plan", "confidence", "-confidence", "cost", "-cost", "item"];
const FAILURES = [
  "unparsed",
  "refused",
  "truncated",
  "too-long",
  "invalid",
  "model-error",
  "drifted",
  "inconsistent",
  "off-label",
];
const SHOWN = 20;

export interface Range {
  low: number;
  high: number;
}

export interface Filter {
  system: string | null;
  pair: string | null;
  item: string | null;
  category: string | null;
  outcome: string | null;
  winner: string | null;
  flipped: boolean | null;
  split: boolean | null;
  people: string | null;
  failure: string | null;
  confidence: Range | null;
  cost: Range | null;
  text: string | null;
  sort: string;
  offset: number;
  limit: number | null;
}

const READERS: { [Field in keyof Filter]: (value: string) => Filter[Field] } = {
  system: (value) => readName("system", value),
  pair: readPair,
  item: (value) => readName("item", value),
  category: (value) => readName("category", value),
  outcome: (value) => choose("outcome", value, OUTCOMES),
  winner: (value) => readName("winner", value),
  flipped: (value) => readFlag("flipped", value),
  split: (value) => readFlag("split", value),
  people: (value) => choose("people", value, PEOPLE),
  failure: (value) =>
    value === "any" || FAILURES.includes(value)
      ? value
      : refuse("failure", value, `any, or one of ${FAILURES.join(", ")}`),
  confidence: (value) => readRange("confidence", value),
  cost: (value) => readRange("cost", value),
  text: (value) => value || null,
  sort: (value) => choose("sort", value, SORTS),
  offset: (value) => readCount("offset", value),
  limit: (value) => readCount("limit", value),
};

/** Reads a query; throws what the server would answer for one that it cannot read. */
export function parseFilter(query: string): Filter {
  const fields = Object.keys(READERS);
  const read: Record<string, unknown> = Object.fromEntries(fields.map((field) => [field, null]));
  const given = new Set<string>();
  for (const [field, value] of new URLSearchParams(query)) {
    if (given.has(field)) throw new SourceError(`${field}: given twice; give it once`, 400);
    if (!Object.hasOwn(READERS, field))
      throw new SourceError(
        `${field}: there is no such filter; expected one of ${fields.join(", ")}`,
        400,
      );
    read[field] = READERS[field as keyof Filter](value);
    given.add(field);
  }
  return {
    ...(read as unknown as Filter),
    sort: (read["sort"] as string | null) ?? "plan",
    offset: (read["offset"] as number | null) ?? 0,
  };
}

function refuse(field: string, found: string, expected: string): never {
  throw new SourceError(`${field}: expected ${expected}, found ${quote(found)}`, 400);
}

function quote(text: string): string {
  const escaped = text
    .replace(/["\\]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `"${escaped}"`;
}

function readName(field: string, value: string): string {
  return value || refuse(field, value, "a name");
}

function readPair(value: string): string {
  const at = value.indexOf("~");
  return at > 0 && at < value.length - 1 ? value : refuse("pair", value, "two systems, as A~B");
}

function choose(field: string, value: string, choices: string[]): string {
  return choices.includes(value) ? value : refuse(field, value, `one of ${choices.join(", ")}`);
}

function readFlag(field: string, value: string): boolean {
  return FLAGS[value] ?? refuse(field, value, "one of 1, 0");
}

function readCount(field: string, value: string): number {
  return /^\+?\d+$/.test(value) ? Number(value) : refuse(field, value, "a whole number");
}

function readRange(field: string, value: string): Range {
  const at = value.indexOf("..");
  const low = readEnd(value.slice(0, at), -Infinity);
  const high = readEnd(value.slice(at + 2), Infinity);
  if (at < 0 || low === null || high === null)
    return refuse(field, value, "a range LO..HI of numbers, such as 0..0.2");
  return { low, high };
}

/** Reads an end of a range; an empty one is open. */
function readEnd(text: string, open: number): number | null {
  if (text === "") return open;
  const found = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  return Number.isFinite(found) ? found : null;
}

/** The names of a run, in the order of its data. */
export interface KnownNames {
  systems: string[];
  items: string[];
  categories: string[];
}

/** Returns the two systems of the filter's pair; throws for names that the run does not have. */
export function checkNames(filter: Filter, known: KnownNames): [string, string] | null {
  checkName("system", filter.system, known.systems);
  const pair = filter.pair === null ? null : splitPair(filter.pair, known.systems);
  checkName("item", filter.item, known.items);
  checkName("category", filter.category, known.categories);
  checkName("winner", filter.winner, known.systems);
  return pair;
}

function checkName(field: string, name: string | null, known: string[]): void {
  if (name !== null && !known.includes(name)) refuseName(field, name, known);
}

function refuseName(field: string, name: string, known: string[]): never {
  const listed = [...known.slice(0, SHOWN), ...(known.length > SHOWN ? [".."] : [])].join(", ");
  throw new SourceError(`${field}: the run has no ${quote(name)}; it has ${listed}`, 400);
}

/** Names may hold the mark between them, so every place where it stands is tried. */
function splitPair(value: string, systems: string[]): [string, string] {
  for (let at = value.indexOf("~"); at >= 0; at = value.indexOf("~", at + 1)) {
    const [one, other] = [value.slice(0, at), value.slice(at + 1)];
    if (systems.includes(one) && systems.includes(other)) return [one, other];
  }
  return refuseName("pair", value, systems);
}
