/** Rows made of embedded judgments: both orders of one pair in one row, in the order of the plan. */

import type { Embedded, JudgmentColumns } from "./embedded";
import type { Cell, Choice, Look, Row, Slot } from "./types";

const EXCERPT = 200;

/** A row with the indices of its judgments, items and systems. */
export interface IndexedRow {
  row: Row;
  item: number;
  systems: number[];
  judgments: number[];
}

export function buildRows(data: Embedded): IndexedRow[] {
  const rows: IndexedRow[] = [];
  const open = new Map<string, IndexedRow>();
  for (let index = 0; index < data.judgments.trial.length; index += 1) {
    const key = keyOf(data.judgments, index);
    const known = open.get(key);
    if (known && !isTaken(known, data.judgments, index)) {
      addJudgment(known, data, index);
      continue;
    }
    const started = startRow(data, index);
    addJudgment(started, data, index);
    open.set(key, started);
    rows.push(started);
  }
  for (const row of rows) sumUpRow(row, data);
  return rows;
}

function systemsOf(columns: JudgmentColumns, index: number): number[] {
  const listed = columns.systems[index];
  if (listed) return listed;
  const first = columns.first[index] ?? -1;
  const second = columns.second[index] ?? -1;
  if (second < 0) return [first];
  return first < second ? [first, second] : [second, first];
}

function keyOf(columns: JudgmentColumns, index: number): string {
  const listed = columns.systems[index] ? "l" : "p";
  const systems = [...systemsOf(columns, index)].sort((one, other) => one - other);
  return `${listed}|${columns.item[index]}|${systems.join(",")}|${columns.replicate[index]}`;
}

function isForward(columns: JudgmentColumns, index: number): boolean {
  return (columns.second[index] ?? -1) < 0 || (columns.first[index] ?? 0) < (columns.second[index] ?? 0);
}

function isTaken(row: IndexedRow, columns: JudgmentColumns, index: number): boolean {
  return (isForward(columns, index) ? row.row.ab : row.row.ba) !== null;
}

function startRow(data: Embedded, index: number): IndexedRow {
  const columns = data.judgments;
  const item = columns.item[index] ?? 0;
  const systems = systemsOf(columns, index);
  const names = systems.map((system) => data.overview.systems[system] ?? "?");
  const text = data.items[item]?.text;
  const row: Row = {
    id: columns.trial[index] ?? index,
    item: data.items[item]?.id ?? "?",
    category: data.items[item]?.category ?? null,
    a: names[0] ?? "?",
    b: columns.systems[index] ? null : names[1] ?? null,
    systems: columns.systems[index] ? names : null,
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
    excerpt: text == null ? null : Array.from(text.slice(0, 2 * EXCERPT)).slice(0, EXCERPT).join(""),
  };
  return { row, item, systems, judgments: [] };
}

function addJudgment(indexed: IndexedRow, data: Embedded, index: number): void {
  const cell = cellOf(data.judgments, index);
  if (isForward(data.judgments, index)) indexed.row.ab = cell;
  else indexed.row.ba = cell;
  indexed.judgments.push(index);
}

export function cellOf(columns: JudgmentColumns, index: number): Cell {
  const first = columns.p_first[index];
  const p = first == null ? null : ([first, columns.p_tie[index] ?? 0, columns.p_second[index] ?? 0] as [number, number, number]);
  return {
    trial: columns.trial[index] ?? index,
    p,
    score: columns.score[index] ?? null,
    places: columns.places[index] ?? null,
    failure: columns.failure[index] ?? null,
  };
}

type Preference = [number, number, number];

function sumUpRow(indexed: IndexedRow, data: Embedded): void {
  const { row, judgments } = indexed;
  const orders = [row.ab?.p ?? null, turn(row.ba?.p ?? null)];
  const found = orders.filter((order): order is Preference => order !== null);
  const looks = judgments.map((index) => votesOf(data.judgments.looks[index]));
  row.p = found.length ? found.reduce((sum, order) => sum + order[0] + order[1] / 2, 0) / found.length : null;
  row.outcome = found.length ? sideOf(sumPreferences(found)) : "none";
  row.confidence = row.p === null ? null : Math.abs(2 * row.p - 1);
  row.flipped = areOpposite(found[0], found[1]) || looks.some(isFlipped);
  row.split = looks.some(isSplit);
  row.score = row.ab?.score ?? row.ba?.score ?? null;
  row.people = peopleOf(indexed, data.judgments);
  row.cost = sumOf(judgments.map((index) => data.judgments.cost[index] ?? null));
  const calls = new Set(judgments.flatMap((index) => data.judgments.calls[index] ?? []));
  for (const call of calls) row.tokens += (data.calls.prompt_tokens[call] ?? 0) + (data.calls.completion_tokens[call] ?? 0);
}

function turn(p: Preference | null): Preference | null {
  return p ? [p[2], p[1], p[0]] : null;
}

function sumPreferences(list: Preference[]): Preference {
  return list.reduce((sum, next) => [sum[0] + next[0], sum[1] + next[1], sum[2] + next[2]], [0, 0, 0]);
}

/** Returns the side whose weight is above both others, else a tie. */
export function sideOf([first, tie, second]: Preference): Choice {
  if (first > second && first > tie) return "a";
  return second > first && second > tie ? "b" : "tie";
}

function areOpposite(one: Preference | undefined, other: Preference | undefined): boolean {
  if (!one || !other) return false;
  const sides = `${sideOf(one)}${sideOf(other)}`;
  return sides === "ab" || sides === "ba";
}

function sumOf(values: (number | null)[]): number | null {
  const known = values.filter((value): value is number => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) : null;
}

/** Looks that judge a criterion, and the terms of a weighed panel, are no votes. */
function votesOf(looks: Look[] | null | undefined): Look[] {
  return (looks ?? []).filter((look) => look.criterion == null && look.stage !== "term");
}

function isFlipped(votes: Look[]): boolean {
  const [forward, swapped] = [false, true].map((order) => {
    const found = votes.filter((look) => (look.swapped === true) === order).map(lookPreference);
    const known = found.filter((preference): preference is Preference => preference !== null);
    return known.length ? sumPreferences(known) : undefined;
  });
  return areOpposite(forward, swapped);
}

/** Whether votes of a panel, or samples of one order and stage, disagree. */
function isSplit(votes: Look[]): boolean {
  const members = votes.filter((look) => look.stage === "member");
  const seen = new Map<string, string>();
  for (const look of members.length ? members : votes) {
    const said = sayLook(look);
    if (said === null) continue;
    const group = members.length ? "" : `${look.swapped === true}${look.stage ?? ""}`;
    if ((seen.get(group) ?? said) !== said) return true;
    seen.set(group, said);
  }
  return false;
}

export function lookVerdict(look: Look): Record<string, unknown> | null {
  return (look.outcome as { Ok?: Record<string, unknown> } | undefined)?.Ok ?? null;
}

export function lookPreference(look: Look): Preference | null {
  const ok = lookVerdict(look);
  if (!ok || typeof ok["first"] !== "number" || typeof ok["second"] !== "number") return null;
  return [ok["first"], Number(ok["tie"] ?? 0), ok["second"]];
}

function sayLook(look: Look): string | null {
  const ok = lookVerdict(look);
  const preference = lookPreference(look);
  if (preference) return sideOf(preference);
  if (typeof ok?.["score"] === "number") return String(Math.round(ok["score"]));
  return ok?.["places"] ? JSON.stringify(ok["places"]) : null;
}

function peopleOf(indexed: IndexedRow, columns: JudgmentColumns): Choice | null {
  for (const index of indexed.judgments) {
    const slot: Slot | null = columns.people[index] ?? null;
    if (slot === "tie") return "tie";
    if (slot) return (slot === "first") === isForward(columns, index) ? "a" : "b";
  }
  return null;
}
