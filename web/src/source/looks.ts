/** Compares the looks of one judgment with each other, as crates/core/src/looks.rs does. */

import type { Choice, Look } from "./types";

/** The probabilities of first, tie and second. */
export type Preference = [number, number, number];

/** How far apart two scores of the same response are that disagree. */
const APART = 0.5;

/** What rounding makes of means: Side::of in crates/core/src/decision.rs has the same. */
const ROUNDING = 1e-12;

const exceeds = (a: number, b: number): boolean => a - b > ROUNDING;

/** Returns the more probable winner, unless a tie is more probable than either or both are even. */
export function sideOf([first, tie, second]: Preference): Choice {
  if (exceeds(tie, Math.max(first, second))) return "tie";
  if (exceeds(first, second)) return "a";
  return exceeds(second, first) ? "b" : "tie";
}

export function areOpposite(one: Preference | null, other: Preference | null): boolean {
  if (!one || !other) return false;
  const sides = `${sideOf(one)}${sideOf(other)}`;
  return sides === "ab" || sides === "ba";
}

export function lookVerdict(look: Look): Record<string, unknown> | null {
  return (look.outcome as { Ok?: Record<string, unknown> } | undefined)?.Ok ?? null;
}

/** Returns why a look has no verdict. */
export function lookFailure(look: Look): { kind?: unknown; detail?: unknown } | null {
  return (look.outcome as { Err?: { kind?: unknown; detail?: unknown } } | undefined)?.Err ?? null;
}

export function lookPreference(look: Look): Preference | null {
  const verdict = lookVerdict(look);
  if (!verdict || typeof verdict["first"] !== "number" || typeof verdict["second"] !== "number")
    return null;
  return [verdict["first"], Number(verdict["tie"] ?? 0), verdict["second"]];
}

/** Whether the looks at both orders prefer different responses; the last stage that saw both
 * decides. */
export function areFlipped(looks: Look[]): boolean {
  const last = looks.findLast((look) => look.swapped);
  return (
    last !== undefined &&
    areOpposite(sumOf(looks, last.stage, false), sumOf(looks, last.stage, true))
  );
}

function sumOf(looks: Look[], stage: string | undefined, swapped: boolean): Preference | null {
  const here = looks.filter((look) => look.stage === stage && (look.swapped === true) === swapped);
  const found = here.map(lookPreference).filter((one): one is Preference => one !== null);
  return found.length ? found.reduce(([a, b, c], [d, e, f]) => [a + d, b + e, c + f]) : null;
}

/** Whether votes of a panel, or samples of one order and stage, disagree. */
export function areSplit(looks: Look[]): boolean {
  const votes = looks.filter((look) => look.criterion == null && look.stage !== "term");
  return votes.some((look, at) =>
    votes.slice(at + 1).some((other) => isSameQuestion(look, other) && disagree(look, other)),
  );
}

function isSameQuestion(look: Look, other: Look): boolean {
  return (
    look.stage === other.stage &&
    (look.stage === "member" || (look.swapped === true) === (other.swapped === true))
  );
}

function disagree(look: Look, other: Look): boolean {
  const [one, two] = [lookVerdict(look), lookVerdict(other)];
  if (!one || !two) return false;
  if (typeof one["score"] === "number" && typeof two["score"] === "number")
    return Math.abs(one["score"] - two["score"]) >= APART;
  if (one["places"] && two["places"])
    return JSON.stringify(one["places"]) !== JSON.stringify(two["places"]);
  return saySide(look) !== saySide(other);
}

function saySide(look: Look): string | null {
  const preference = lookPreference(look);
  return preference && sideOf(preference);
}
