import type { ComponentChildren } from "preact";
import { type Column, DataTable } from "../parts/datatable";
import { Deviations } from "../parts/slices";
import { membersOf, numberOf } from "../source/report";
import { readSliced } from "../source/slices";
import type { Json } from "../source/types";
import { formatP } from "../text/format";
import { Shown } from "../text/visible";
import {
  countIn,
  type Form,
  levelOf,
  type Members,
  nameOf,
  rowsOf,
  sayNamed,
  sayPoints,
} from "./measure";

const MEASURES: [string, string, Form][] = [
  ["accuracy", "Agreement with people, mean of both orders", "share"],
  ["accuracy_forward", "Agreement in the first order", "share"],
  ["accuracy_swapped", "Agreement in the second order", "share"],
  ["accuracy_averaged", "Agreement of the verdict averaged over both orders", "share"],
  ["accuracy_both", "Right in both orders", "share"],
  ["accuracy_length_balanced", "Agreement, balanced by length", "share"],
  ["accuracy_macro", "Agreement, mean over subsets", "share"],
  ["consistency", "Same outcome in both orders", "share"],
  ["first_slot", "First of two preferred (unbiased: 50 %)", "share"],
  ["longer_preferred", "Longer of two preferred by the judge, where a label prefers one", "share"],
  ["longer_wins", "Longer of two preferred by the labels", "share"],
  ["kappa", "Kappa with people", "number"],
  ["kappa_orders", "Kappa between orders", "number"],
  ["brier", "Brier score", "number"],
  ["calibration_error", "Calibration error", "number"],
];

/** `meta judge`: one judge, or several, against people's labels; whether slices differ comes
 * last. */
export function JudgeReport({ report, children }: { report: Json; children: ComponentChildren }) {
  const members = membersOf(report);
  const judges = rowsOf(members["judges"]);
  const paired = rowsOf(members["paired_differences"]);
  const sliced = readSliced(report);
  return (
    <>
      {judges.length ? (
        <Judges judges={judges} level={levelOf(members)} hasAnswer={!!members["answer"]}>
          {children}
        </Judges>
      ) : (
        <OneJudge members={members}>{children}</OneJudge>
      )}
      {paired.length > 0 && (
        <>
          <h2>On the same pairs</h2>
          <Paired rows={paired} level={levelOf(members)} />
        </>
      )}
      <Deviations sliced={sliced} who="Judge" />
    </>
  );
}

function OneJudge({ members, children }: { members: Members; children: ComponentChildren }) {
  // With one order there is nothing to average.
  const isOneOrder = numberOf(members["consistency"]) === null;
  const known = MEASURES.filter(
    ([name]) => numberOf(members[name]) !== null && !(isOneOrder && name === "accuracy_averaged"),
  );
  const subsets = Object.entries(membersOf(members["subsets"])).map(([name, value]) => ({
    name,
    value: membersOf(value),
  }));
  return (
    <>
      {!members["answer"] && (
        <p class="lead">
          <Shown text={nameOf(members, "judge")} /> agrees with people on{" "}
          <b>{sayNamed(members, "accuracy", "share")}</b> of {countIn(members, "n")} comparisons.
        </p>
      )}
      {children}
      <DataTable
        label="Figures"
        rows={known}
        columns={[
          {
            head: "Figure",
            cell: ([name, label]) =>
              isOneOrder && name === "accuracy" ? "Agreement with people" : label,
          },
          {
            head: `Value (${levelOf(members)} interval)`,
            num: true,
            cell: ([name, , form]) => sayNamed(members, name, form),
          },
        ]}
      />
      {subsets.length > 0 && (
        <>
          <h2>By subset</h2>
          <Subsets rows={subsets} />
        </>
      )}
    </>
  );
}

function Subsets({ rows }: { rows: { name: string; value: Members }[] }) {
  const measure = (name: string, head: string, form: Form) => ({
    head,
    num: true,
    cell: ({ value }: { value: Members }) => sayNamed(value, name, form),
  });
  return (
    <DataTable
      label="By subset"
      rows={rows}
      columns={[
        { head: "Subset", cell: ({ name }) => <Shown text={name} /> },
        { head: "Pairs", num: true, cell: ({ value }) => countIn(value, "n") },
        measure("accuracy", "Accuracy", "share"),
        measure("consistency", "Consistency", "share"),
        measure("first_slot", "First preferred", "share"),
        measure("kappa", "Kappa", "number"),
      ]}
    />
  );
}

function Judges({
  judges,
  level,
  hasAnswer,
  children,
}: {
  judges: Members[];
  level: string;
  /** Whether the page begins with the report's own answer, which those of earlier versions lack. */
  hasAnswer: boolean;
  children: ComponentChildren;
}) {
  const best = judges.reduce((one, other) =>
    (numberOf(other["accuracy"]) ?? -1) > (numberOf(one["accuracy"]) ?? -1) ? other : one,
  );
  return (
    <>
      {!hasAnswer && (
        <p class="lead">
          Of {judges.length} judges, <Shown text={nameOf(best, "judge")} /> agrees with people most
          often: <b>{sayNamed(best, "accuracy", "share")}</b> of {countIn(best, "n")} comparisons.
        </p>
      )}
      {children}
      <JudgeTable judges={judges} level={level} />
    </>
  );
}

/** A row for each judge; `named` are columns that tell rows of one judge apart. */
export function JudgeTable({
  judges,
  level,
  named = [],
}: {
  judges: Members[];
  level: string;
  named?: Column<Members>[];
}) {
  const measure = (name: string, head: string, form: Form) => ({
    head,
    num: true,
    cell: (row: Members) => sayNamed(row, name, form),
  });
  return (
    <DataTable
      label={`Judges against people, with ${level} intervals`}
      rows={judges}
      columns={[
        ...named,
        { head: "Judge", cell: (row) => <Shown text={nameOf(row, "judge")} /> },
        { head: "Protocol", cell: (row) => <Shown text={nameOf(row, "protocol")} /> },
        { head: "Pairs", num: true, cell: (row) => countIn(row, "n") },
        measure("accuracy", "Accuracy", "share"),
        measure("consistency", "Consistency", "share"),
        measure("first_slot", "First preferred", "share"),
        measure("kappa", "Kappa", "number"),
      ]}
    />
  );
}

/** How far one judge or protocol is ahead of another on the pairs that both judged. What is the same
 * in all rows has no column. */
export function Paired({ rows, level }: { rows: Members[]; level: string }) {
  const totals = new Set(rows.map((row) => nameOf(row, "total")));
  const columns: Column<Members>[] = [
    { head: "First", cell: (row) => <Shown text={nameOf(row, "first")} /> },
    { head: "Second", cell: (row) => <Shown text={nameOf(row, "second")} /> },
    { head: "Pairs", num: true, cell: (row) => countIn(row, "pairs") },
    aheadColumn("Ahead by", level),
    CORRECTED,
  ];
  if (totals.size > 1)
    columns.unshift({ head: "Input", cell: (row) => <Shown text={nameOf(row, "total")} /> });
  if (rows.some(isByBoth))
    columns.push({
      head: "By",
      cell: (row) => (isByBoth(row) ? "right in both orders" : "accuracy"),
    });
  return <DataTable label="On the same pairs" rows={rows} columns={columns} />;
}

function isByBoth(row: Members): boolean {
  return row["measure"] === "accuracy_both";
}

export function aheadColumn(head: string, level: string): Column<Members> {
  return {
    head: `${head}, points (${level} interval)`,
    num: true,
    cell: (row) => sayPoints(row["difference"], row["difference_ci"]),
  };
}

export const CORRECTED: Column<Members> = {
  head: "p (corrected)",
  num: true,
  cell: (row) =>
    row["p"] === undefined
      ? "–"
      : `${formatP(numberOf(row["p"]))} (${formatP(numberOf(row["p_holm"]))})`,
};
