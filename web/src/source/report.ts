/** Reads of a command's own report what the pages show of it; nothing is taken for granted. */

import type { Json } from "./types";

export interface RankingRow {
  system: string;
  score: number | null;
  ci: [number | null, number | null] | null;
  rank: number | null;
  rankCi: [number, number] | null;
  /** The rows that it is better than and apart from, as ranges of places from 1; null where the
   * report does not say. */
  betterThan: [number, number][] | null;
  n: number | null;
  note: string | null;
}

export interface Difference {
  a: string;
  b: string;
  difference: number;
  ci: [number | null, number | null] | null;
  p: number | null;
}

export interface RankingReport {
  /** Who leads, in one sentence without a full stop; null where the report has none. */
  answer: string | null;
  rows: RankingRow[];
  differences: Difference[];
  unit: string;
  level: number;
  /** How intervals were made; null where the report does not say it. */
  method: string | null;
}

export type Members = { [key: string]: Json };

export function membersOf(value: Json | undefined): Members {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function pairOf(value: Json | undefined): [number | null, number | null] | null {
  const list = listOf(value);
  return list.length === 2 ? [numberOf(list[0]), numberOf(list[1])] : null;
}

export function readRanking(report: Json): RankingReport | null {
  const members = membersOf(report);
  if (!Array.isArray(members["ranking"])) return null;
  return {
    answer: textOf(membersOf(members["answer"])["text"]),
    rows: listOf(members["ranking"]).map(readRow),
    differences: listOf(members["differences"])
      .map(readDifference)
      .filter((one) => one !== null),
    unit: textOf(members["unit"]) ?? "points",
    level: numberOf(membersOf(members["ci"])["level"]) ?? 0.95,
    method: textOf(membersOf(members["ci"])["method"]),
  };
}

function readRow(value: Json): RankingRow {
  const row = membersOf(value);
  const rankCi = pairOf(row["rank_ci"]);
  return {
    system: textOf(row["system"]) ?? "?",
    score: numberOf(row["score"]),
    ci: pairOf(row["ci"]),
    rank: numberOf(row["rank"]),
    rankCi: rankCi && rankCi[0] !== null && rankCi[1] !== null ? [rankCi[0], rankCi[1]] : null,
    betterThan: Array.isArray(row["better_than"])
      ? listOf(row["better_than"]).flatMap((range) => {
          const ends = pairOf(range);
          return ends && ends[0] !== null && ends[1] !== null
            ? [[ends[0], ends[1]] as [number, number]]
            : [];
        })
      : null,
    n: numberOf(row["n"]),
    note: textOf(row["note"]),
  };
}

function readDifference(value: Json): Difference | null {
  const row = membersOf(value);
  const [a, b, difference] = [textOf(row["a"]), textOf(row["b"]), numberOf(row["difference"])];
  if (a === null || b === null || difference === null) return null;
  return {
    a,
    b,
    difference,
    ci: pairOf(row["ci"]),
    p: numberOf(row["p_adjusted"]) ?? numberOf(row["p"]),
  };
}

/** Whether two systems are told apart: as the report decided with its rank intervals. */
function areApart(report: RankingReport, one: RankingRow, other: RankingRow): boolean {
  return isBetter(report, one, other) || isBetter(report, other, one);
}

/** Whether one system is told apart from another and better; in reports that do not say, by ranks
 * that do not overlap. */
export function isBetter(report: RankingReport, one: RankingRow, other: RankingRow): boolean {
  const place = report.rows.indexOf(other) + 1;
  if (one.betterThan)
    return one.betterThan.some(([first, last]) => first <= place && place <= last);
  return one.rankCi !== null && other.rankCi !== null && one.rankCi[1] < other.rankCi[0];
}

/** How many pairs are not told apart. */
export function countOpen(report: RankingReport): number {
  const pairs = report.rows.flatMap((one, place) =>
    report.rows.slice(place + 1).map((other) => [one, other] as const),
  );
  return pairs.filter(([one, other]) => !areApart(report, one, other)).length;
}

/** Whether the report says anything of what can be told apart. */
export function saysApart(report: RankingReport): boolean {
  return report.rows.some(({ betterThan, rankCi }) => betterThan !== null || rankCi !== null);
}

/** Returns the largest runs of neighbours of which no two can be told apart, by first and last
 * place in the list. */
export function groupTied(report: RankingReport): [number, number][] {
  const groups: [number, number][] = [];
  if (!saysApart(report)) return groups;
  for (let from = 0; from < report.rows.length; from += 1) {
    let to = from;
    while (to + 1 < report.rows.length && isAllTied(report, from, to + 1)) to += 1;
    if (to > from && !(groups.at(-1) && groups.at(-1)![1] >= to)) groups.push([from, to]);
  }
  return groups;
}

function isAllTied(report: RankingReport, from: number, added: number): boolean {
  return report.rows.slice(from, added).every((row) => !areApart(report, row, report.rows[added]!));
}
