/** Reads of a command's own report what the pages show of it; nothing is taken for granted. */

import type { Json } from "./types";

export interface RankingRow {
  system: string;
  score: number | null;
  ci: [number | null, number | null] | null;
  rank: number | null;
  rankCi: [number, number] | null;
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
  rows: RankingRow[];
  differences: Difference[];
  unit: string;
  level: number;
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
    rows: listOf(members["ranking"]).map(readRow),
    differences: listOf(members["differences"]).map(readDifference).filter((one) => one !== null),
    unit: textOf(members["unit"]) ?? "points",
    level: numberOf(membersOf(members["ci"])["level"]) ?? 0.95,
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
    n: numberOf(row["n"]),
    note: textOf(row["note"]),
  };
}

function readDifference(value: Json): Difference | null {
  const row = membersOf(value);
  const [a, b, difference] = [textOf(row["a"]), textOf(row["b"]), numberOf(row["difference"])];
  if (a === null || b === null || difference === null) return null;
  return { a, b, difference, ci: pairOf(row["ci"]), p: numberOf(row["p_adjusted"]) ?? numberOf(row["p"]) };
}

/** Whether two systems can be told apart: by their difference where it is known, else by ranks that do not overlap. */
export function areApart(report: RankingReport, one: RankingRow, other: RankingRow): boolean {
  const found = report.differences.find(({ a, b }) => (a === one.system && b === other.system) || (a === other.system && b === one.system));
  if (found?.p != null) return found.p <= 1 - report.level + 1e-12;
  if (!one.rankCi || !other.rankCi) return false;
  return one.rankCi[1] < other.rankCi[0] || other.rankCi[1] < one.rankCi[0];
}

/** Whether the report says anything of what can be told apart. */
export function saysApart(report: RankingReport): boolean {
  return report.differences.some(({ p }) => p !== null) || report.rows.some(({ rankCi }) => rankCi !== null);
}

/** Returns the largest runs of neighbours of which no two can be told apart, by first and last place in the list. */
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
