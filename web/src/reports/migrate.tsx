import { DataTable } from "../parts/datatable";
import { listOf, membersOf, numberOf, textOf } from "../source/report";
import type { Json } from "../source/types";
import { formatNumber, formatPercent } from "../text/format";
import { Shown } from "../text/visible";
import { countIn, nameOf, rowsOf } from "./measure";

const FATES: Record<string, string> = {
  kept: "kept",
  reversed: "reversed",
  even: "even",
  undecided: "not certain",
  "not-apart": "not told apart before",
};

/** `migrate`: what moves with another judge, pair by pair. */
export function MigrationReport({ report }: { report: Json }) {
  const members = membersOf(report);
  const form = textOf(members["unit"]) === "points" ? "points" : "share";
  const agreement = membersOf(members["agreement"]);
  const { old, new: changed } = membersOf(members["consistency"]);
  return (
    <>
      <p class="lead">
        <b>
          <Shown text={nameOf(members, "answer")} />
        </b>
      </p>
      <DataTable
        label="Pairs of systems"
        rows={rowsOf(members["pairs"])}
        columns={[
          {
            head: "Above, by the old judge",
            cell: (pair) => <Shown text={nameOf(pair, "above")} />,
          },
          { head: "Below", cell: (pair) => <Shown text={nameOf(pair, "below")} /> },
          { head: "Order", cell: (pair) => FATES[textOf(pair["fate"]) ?? ""] ?? "–" },
          {
            head: "Ahead by, before",
            num: true,
            cell: (pair) => sayDifference(numberOf(pair["old"]), form),
          },
          {
            head: "new, at least to at most",
            num: true,
            cell: (pair) => sayRange(pair["new"], form),
          },
          { head: "shift", num: true, cell: (pair) => sayRange(pair["shift"], form) },
          {
            head: "Items asked",
            num: true,
            cell: (pair) => `${countIn(pair, "items_asked")} of ${countIn(pair, "items")}`,
          },
        ]}
      />
      <p class="note">{textOf(members["bounds"])}</p>
      {numberOf(agreement["old"]) !== null && (
        <p>
          Agreement with people was {formatPercent(numberOf(agreement["old"]), 1)} and is{" "}
          {sayRange(agreement["new"], "share")}, on {countIn(agreement, "labels")} labelled pairs.
        </p>
      )}
      {numberOf(membersOf(old)["share"]) !== null && (
        <p>
          The old judge keeps its verdict in both orders on{" "}
          {formatPercent(numberOf(membersOf(old)["share"]), 0)} of pairs, the new one on{" "}
          {formatPercent(numberOf(membersOf(changed)["share"]), 0)}.
        </p>
      )}
    </>
  );
}

function sayDifference(value: number | null, form: "points" | "share"): string {
  if (value === null) return "–";
  return form === "share" ? `${formatNumber(100 * value, 1)} points` : formatNumber(value, 2);
}

function sayRange(value: Json | undefined, form: "points" | "share"): string {
  const [low, high] = listOf(value).map(numberOf);
  if (low == null || high == null) return "–";
  const scale = form === "share" ? 100 : 1;
  const digits = form === "share" ? 1 : 2;
  return `${formatNumber(scale * low, digits)} to ${formatNumber(scale * high, digits)}`;
}
