/** Rows made of embedded judgments, as crates/pages/src/index makes them: both orders of one pair
 * in one row, in the order of the plan. */

import type { Embedded, JudgmentColumns } from "./embedded";
import { areFlipped, areOpposite, areSplit, type Preference, sideOf } from "./looks";
import type { Cell, Choice, Outcome, Row } from "./types";

const EXCERPT = 160;
/** Bytes of a text that its excerpt is made of. */
const LOOKED_AT = 8 * EXCERPT;

/** A row with the places of its item and systems, and of its judgments: `ab`, then `ba`. */
export interface IndexedRow {
  row: Row;
  item: number;
  systems: number[];
  judgments: number[];
}

export function buildRows(data: Embedded): IndexedRow[] {
  const { trial } = data.judgments;
  const order = trial.map((_, index) => index).sort((one, other) => trial[one]! - trial[other]!);
  const rows: IndexedRow[] = [];
  const latest = new Map<string, IndexedRow>();
  for (const index of order) {
    const key = keyOf(data.judgments, index);
    const known = key === null ? undefined : latest.get(key);
    const row =
      known && !known.row[cellName(data.judgments, index)] ? known : startRow(data, index);
    if (row !== known) rows.push(row);
    if (key !== null) latest.set(key, row);
    addJudgment(row, data.judgments, index);
  }
  const excerpts = data.items.map(({ text }) => cutExcerpt(text));
  for (const row of rows) sumUpRow(row, data, excerpts);
  return rows;
}

/** Returns what a row is of; null for a list, which is a row of its own. */
function keyOf(columns: JudgmentColumns, index: number): string | null {
  if (columns.systems[index]) return null;
  return `${columns.item[index]}|${systemsOf(columns, index).join(",")}|${columns.replicate[index]}`;
}

/** Returns the systems of a row: of a pair, the earlier first. */
function systemsOf(columns: JudgmentColumns, index: number): number[] {
  const listed = columns.systems[index];
  if (listed) return listed;
  const [first, second] = [columns.first[index] ?? -1, columns.second[index] ?? -1];
  if (second < 0) return [first];
  return first < second ? [first, second] : [second, first];
}

function cellName(columns: JudgmentColumns, index: number): "ab" | "ba" {
  const [first, second] = [columns.first[index] ?? 0, columns.second[index] ?? -1];
  return columns.systems[index] || second < 0 || first <= second ? "ab" : "ba";
}

function startRow(data: Embedded, index: number): IndexedRow {
  const columns = data.judgments;
  const item = columns.item[index] ?? 0;
  const systems = systemsOf(columns, index);
  const names = systems.map((system) => data.overview.systems[system] ?? "?");
  const isList = columns.systems[index] != null;
  const row: Row = {
    id: columns.trial[index] ?? index,
    item: data.items[item]?.id ?? "?",
    category: data.items[item]?.category ?? null,
    a: names[0] ?? "?",
    b: isList ? null : (names[1] ?? null),
    systems: isList ? names : null,
    replicate: columns.replicate[index] ?? 0,
    ab: null,
    ba: null,
    outcome: "none",
    p: null,
    score: null,
    flipped: false,
    split: false,
    people: null,
    confidence: null,
    cost: null,
    tokens: 0,
    excerpt: null,
  };
  return { row, item, systems, judgments: [] };
}

function addJudgment(indexed: IndexedRow, columns: JudgmentColumns, index: number): void {
  const cell = cellName(columns, index);
  indexed.row[cell] = cellOf(columns, index);
  if (cell === "ab") indexed.judgments.unshift(index);
  else indexed.judgments.push(index);
}

export function cellOf(columns: JudgmentColumns, index: number): Cell {
  const first = columns.p_first[index];
  const p =
    first == null
      ? null
      : ([first, columns.p_tie[index] ?? 0, columns.p_second[index] ?? 0] as Preference);
  return {
    trial: columns.trial[index] ?? index,
    p,
    score: columns.score[index] ?? null,
    places: columns.places[index] ?? null,
    failure: columns.failure[index] ?? null,
  };
}

function sumUpRow(indexed: IndexedRow, data: Embedded, excerpts: (string | null)[]): void {
  const { row, judgments, item, systems } = indexed;
  const { looks, cost, calls } = data.judgments;
  const [ab, ba] = [row.ab?.p ?? null, turn(row.ba?.p ?? null)];
  const mean = meanOf(ab, ba);
  row.p = mean && mean[0] + mean[1] / 2;
  row.outcome = outcomeOf(mean);
  row.confidence = row.p === null ? null : Math.abs(2 * row.p - 1);
  const differ = areOpposite(ab, ba) || judgments.some((index) => areFlipped(looks[index] ?? []));
  row.flipped = differ && !areSame(data, item, systems);
  row.split = judgments.some((index) => areSplit(looks[index] ?? []));
  row.score = meanScore([row.ab?.score ?? null, row.ba?.score ?? null]);
  row.people = peopleOf(judgments, data.judgments);
  row.cost = sumKnown(judgments.map((index) => cost[index] ?? null));
  row.tokens = judgments
    .flatMap((index) => calls[index] ?? [])
    .reduce((sum, call) => sum + tokensOf(data, call), 0);
  row.excerpt = excerpts[item] ?? null;
}

/**
 * Whether a judge is shown the same of the first two systems: which of them stands first then says
 * nothing of what it prefers.
 */
function areSame(data: Embedded, item: number, [first, second]: number[]): boolean {
  const [one, other] = [first, second].map((system) => {
    const found = data.responses.find((it) => it.item === item && it.system === system);
    return found && JSON.stringify([found.text, found.turns, found.trajectory]);
  });
  return one !== undefined && one === other;
}

function turn(p: Preference | null): Preference | null {
  return p && [p[2], p[1], p[0]];
}

function meanOf(ab: Preference | null, ba: Preference | null): Preference | null {
  if (!ab || !ba) return ab ?? ba;
  return [(ab[0] + ba[0]) / 2, (ab[1] + ba[1]) / 2, (ab[2] + ba[2]) / 2];
}

function outcomeOf(mean: Preference | null): Outcome {
  return mean ? sideOf(mean) : "none";
}

function meanScore(scores: (number | null)[]): number | null {
  const found = scores.filter((score): score is number => score !== null);
  return found.length ? found.reduce((sum, score) => sum + score, 0) / found.length : null;
}

/** Returns the sum; null where a part is not known. */
function sumKnown(parts: (number | null)[]): number | null {
  return parts.reduce<number | null>(
    (sum, part) => (sum === null || part === null ? null : sum + part),
    0,
  );
}

function tokensOf(data: Embedded, call: number): number {
  return (data.calls.prompt_tokens[call] ?? 0) + (data.calls.completion_tokens[call] ?? 0);
}

function peopleOf(judgments: number[], columns: JudgmentColumns): Choice | null {
  for (const index of judgments) {
    const slot = columns.people[index] ?? null;
    if (slot === "tie") return "tie";
    if (slot) return (slot === "first") === (cellName(columns, index) === "ab") ? "a" : "b";
  }
  return null;
}

// White space as Rust's `split_whitespace` has it: U+FEFF is none, U+0085 is.
const SPACES = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Returns the beginning of a text, with runs of white space as one space. */
export function cutExcerpt(text: string | null | undefined): string | null {
  if (text == null) return null;
  const { read } = new TextEncoder().encodeInto(
    text.slice(0, LOOKED_AT),
    new Uint8Array(LOOKED_AT),
  );
  const words = text
    .slice(0, read)
    .split(SPACES)
    .filter((word) => word !== "");
  return Array.from(words.join(" ")).slice(0, EXCERPT).join("");
}
