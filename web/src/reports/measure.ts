/** Figures of reports with their intervals: `name` beside `name_ci`, or `{value, ci}`. */

import { listOf, membersOf, numberOf, textOf } from "../source/report";
import type { Json } from "../source/types";
import { formatNumber, formatPercent, formatScore } from "../text/format";

export type Members = { [key: string]: Json };
export type Form = "share" | "number" | "points";

export function sayValue(value: number | null, form: Form): string {
  if (form === "share") return formatPercent(value, 1);
  return form === "points" ? formatScore(value) : formatNumber(value, 2);
}

export function sayMeasure(value: Json | undefined, ci: Json | undefined, form: Form): string {
  const number = numberOf(value);
  if (number === null) return "–";
  const [low, high] = listOf(ci).map(numberOf);
  if (low === undefined || high === undefined) return sayValue(number, form);
  // A narrow table breaks before an interval, and never within.
  return `${sayValue(number, form)} (${sayEnd(low, form)}\u00a0to\u00a0${sayEnd(high, form)})`;
}

/** Says a difference of shares, which is points of a hundred. */
export function sayPoints(value: Json | undefined, ci: Json | undefined): string {
  return sayMeasure(value, ci, "share").replace(/\s*%/, "");
}

function sayEnd(end: number | null, form: Form): string {
  if (end === null) return "?";
  return form === "share" ? formatNumber(100 * end, 1) : sayValue(end, form);
}

/** Says the figure of this name in an object. */
export function sayNamed(from: Members, name: string, form: Form): string {
  return sayMeasure(from[name], from[`${name}_ci`], form);
}

/** Says a figure that is an object of its own. */
export function sayObject(value: Json | undefined, form: Form): string {
  const { value: number, ci } = membersOf(value);
  return sayMeasure(number, ci, form);
}

export function rowsOf(value: Json | undefined): Members[] {
  return listOf(value).map(membersOf);
}

export function nameOf(from: Members, name: string): string {
  const value = from[name];
  return textOf(value) ?? (typeof value === "number" ? formatNumber(value) : "–");
}

export function countIn(from: Members, name: string): string {
  return formatNumber(numberOf(from[name]));
}

export function levelOf(report: Members): string {
  return formatPercent(
    numberOf(report["level"]) ?? numberOf(membersOf(report["ci"])["level"]) ?? 0.95,
  );
}
