/** Reads of a report what it says of slices, the items with one value of a field. */

import { countOf } from "../text/format";
import { listOf, type Members, membersOf, numberOf, textOf } from "./report";
import type { Json } from "./types";

export interface Slice {
  /** Blank for items without one. */
  value: string;
  /** What it has, in words: `150 battles of 10 items`. */
  size: string;
  /** What counts once, in the plural. */
  units: string;
  tooSmall: boolean;
  /** Why there is nothing of it, or what its reader must know. */
  note: string | null;
  /** Its part of the report. */
  members: Members;
}

export interface Deviation {
  /** The system; the judge in a report of judges. */
  name: string;
  value: string;
  deviation: number | null;
  error: number | null;
  pooled: number | null;
  p: number | null;
}

/** What deviations are in. */
export type SliceUnit = "share won" | "share kept" | "share right" | "points";

export interface Interaction {
  summary: string | null;
  unit: SliceUnit;
  method: string | null;
  permutations: number | null;
  seed: number | null;
  tested: number | null;
  deviations: Deviation[];
}

/** What a report says of slices. */
export interface Sliced {
  field: string;
  /** Items below which a slice is too small. */
  least: number;
  level: number;
  /** What a slice has: items, or battles where these name none. */
  counted: [one: string, several: string];
  /** Whether scores have no origin but their own mean, so that those of two slices are no measure
   * against each other. */
  ownMean: boolean;
  slices: Slice[];
  interaction: Interaction | null;
}

/** Returns nothing of a report that was made without slices. */
export function readSliced(report: Json): Sliced | null {
  const members = membersOf(report);
  const [slices, found] = [listOf(members["slices"]), membersOf(members["interaction"])];
  if (!slices.length && !Object.keys(found).length) return null;
  const counted: [string, string] =
    members["items"] === undefined && textOf(members["protocol"])?.includes("battles")
      ? ["battle", "battles"]
      : ["item", "items"];
  return {
    field: textOf(found["field"]) ?? "slice",
    least: numberOf(found["least_items"]) ?? 10,
    level: numberOf(members["level"]) ?? numberOf(membersOf(members["ci"])["level"]) ?? 0.95,
    counted,
    ownMean: /\bmean (0|1000)\b/.test(textOf(members["unit"]) ?? ""),
    slices: slices.map((slice) => readSlice(slice, counted)),
    interaction: Object.keys(found).length ? readInteraction(found) : null,
  };
}

/** Reads a slice; reports of earlier versions do not say in words what it has. */
function readSlice(value: Json, counted: [string, string]): Slice {
  const members = membersOf(value);
  const items = numberOf(members["n_items"]) || null;
  const known = items === null ? `unknown number of ${counted[1]}` : countOf(items, ...counted);
  return {
    value: textOf(members["value"]) ?? "",
    size: textOf(members["size"]) || known,
    units: textOf(members["units"]) || counted[1],
    tooSmall: members["too_small"] === true,
    note: textOf(members["note"]),
    members,
  };
}

function readInteraction(found: Members): Interaction {
  return {
    summary: textOf(found["summary"]) || null,
    unit: (textOf(found["unit"]) || "points") as SliceUnit,
    method: textOf(found["method"]),
    permutations: numberOf(found["permutations"]),
    seed: numberOf(found["seed"]),
    tested: numberOf(found["tested"]),
    deviations: listOf(found["deviations"]).map(readDeviation),
  };
}

function readDeviation(value: Json): Deviation {
  const row = membersOf(value);
  return {
    name: textOf(row["system"]) ?? textOf(row["judge"]) ?? "?",
    value: textOf(row["value"]) ?? "",
    deviation: numberOf(row["deviation"]),
    error: numberOf(row["standard_error"]),
    pooled: numberOf(row["pooled"]),
    p: numberOf(row["p_adjusted"]),
  };
}

/** Names a slice, be its value blank. */
export function nameSlice(value: string): string {
  return value === "" ? "(none)" : value;
}

/** Whether a deviation is told from chance at this level. */
export function isSure({ p }: Deviation, level: number): boolean {
  return p !== null && p <= 1 - level + 1e-12;
}
