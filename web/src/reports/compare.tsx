import type { ComponentChildren } from "preact";
import { usePage } from "../context";
import { type Column, DataTable } from "../parts/datatable";
import { Notice } from "../parts/notice";
import { linkTo } from "../route";
import { membersOf, numberOf, textOf } from "../source/report";
import type { Json } from "../source/types";
import { countOf, formatNumber, formatP, formatPercent, formatScore } from "../text/format";
import { plainText, Shown } from "../text/visible";
import { countIn, levelOf, type Members, nameOf, rowsOf, sayMeasure, sayPoints } from "./measure";

/** Items of a system that are listed, those that moved most first. */
const ITEMS = 20;

/** Systems whose answers stand above the table; of more they are counted. */
const ANSWERS = 3;

/** `compare`: what became of each system, what of it is the judge's own change, and the gates. */
export function ComparisonReport({
  report,
  children,
}: {
  report: Json;
  children: ComponentChildren;
}) {
  const members = membersOf(report);
  const systems = rowsOf(members["systems"]);
  // What could not differ has no row.
  const open = systems.filter((system) => !isFixed(system));
  const gates = rowsOf(members["gates"]);
  const missing = textOf(membersOf(members["missing"])["text"]);
  return (
    <>
      {missing && (
        <Notice kind="warning">
          <Shown text={missing} />
        </Notice>
      )}
      <Headline members={members} systems={systems} />
      {gates.length > 0 && <Gates rows={gates} />}
      {children}
      <Settings rows={rowsOf(members["settings"])} />
      {open.length > 0 && (
        <Systems rows={open} level={levelOf(members)} within={isWithin(members)} />
      )}
      <Drift drift={membersOf(members["judge_drift"])} />
      {open.some((system) => rowsOf(system["by_item"]).length > 0) && (
        <>
          <h2>Items that moved most</h2>
          {open.map((system, at) => (
            <Items key={at} system={system} open={open.length === 1} within={isWithin(members)} />
          ))}
        </>
      )}
    </>
  );
}

function Headline({ members, systems }: { members: Members; systems: Members[] }) {
  const count = (verdict: string) =>
    systems.filter((system) => system["verdict"] === verdict).length;
  const [better, worse] = [count("better"), count("worse")];
  const fixed = systems.filter(isFixed).length;
  const answer = textOf(membersOf(members["answer"])["text"]);
  // Where nothing but the judge could differ, the page's answer is about the judge alone.
  if (answer !== null && systems.length > 0 && systems.every(isFixed)) return null;
  // Of few systems each has its answer, in the words that a terminal shows too.
  const answers = systems.map((system) => textOf(system["answer"]));
  if (answers.length > 0 && answers.length <= ANSWERS && answers.every((text) => text !== null))
    return (
      <>
        {answers.map((text, at) => (
          <p key={at} class="lead">
            <b>
              <Shown text={text} />
            </b>
          </p>
        ))}
      </>
    );
  return (
    <p class="lead">
      <Shown text={nameOf(members, "current")} /> after <Shown text={nameOf(members, "baseline")} />
      , on {countOf(numberOf(members["items"]) ?? 0, "item", "items")}:{" "}
      <b>
        {formatNumber(worse)} of {countOf(systems.length, "system", "systems")} worse,{" "}
        {formatNumber(better)} better
      </b>
      {better + worse < systems.length - fixed &&
        "; of the others no change can be told from noise"}
      {fixed > 0 && `; ${countOf(fixed, "system", "systems")} gave the same answers`}.
    </p>
  );
}

/** Whether no answer of a system changed, and nothing of its change is left but the judge's own. */
function isFixed(system: Members): boolean {
  const change = membersOf(system["change"]);
  const figures = [system["items_changed"], change["difference"], change["up"], change["down"]];
  const isSame = system["system"] === system["baseline_system"];
  return isSame && figures.every((figure) => numberOf(figure) === 0);
}

function Settings({ rows }: { rows: Members[] }) {
  return (
    <>
      {rows.map((row, at) => (
        <Notice key={at} kind="warning">
          <Shown text={nameOf(row, "setting")} /> differs:{" "}
          <Shown text={shortDigest(nameOf(row, "baseline"))} /> before,{" "}
          <Shown text={shortDigest(nameOf(row, "current"))} /> now
        </Notice>
      ))}
    </>
  );
}

/** Of a digest as much as tells it from another; the whole stands in the report. */
function shortDigest(text: string): string {
  return text.replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, "$1…");
}

function Gates({ rows }: { rows: Members[] }) {
  return (
    <DataTable
      label="Gates"
      rows={rows}
      marked={(row) => row["outcome"] === "met"}
      columns={[
        { head: "Condition", cell: (row) => <Shown text={nameOf(row, "condition")} /> },
        { head: "Outcome", cell: (row) => <Shown text={nameOf(row, "outcome")} /> },
        { head: "Why", cell: (row) => <Shown text={textOf(row["why"]) ?? ""} /> },
      ]}
    />
  );
}

/** Whether two systems of one run are compared: they have no before and after. */
function isWithin(members: Members): boolean {
  return textOf(members["current"]) === null;
}

/** What stands in the places of before and now: of two systems of one run each has its name. */
function headsOf(system: Members | undefined, within: boolean): [string, string] {
  if (!within || !system) return ["Before", "Now"];
  return [plainText(nameOf(system, "baseline_system")), plainText(nameOf(system, "system"))];
}

/** The figure of the earlier one; of two that were judged against each other, the rest of a share. */
function sayBefore(row: Members, within: boolean): string {
  const now = numberOf(row["now"]);
  return within && row["measure"] === "head-to-head" && now !== null
    ? formatPercent(1 - now, 1)
    : say(row, "before");
}

function isScored(system: Members): boolean {
  return system["measure"] === "score";
}

/** Shares are said in per cent, scores as the judge gave them. */
function say(system: Members, name: string): string {
  return isScored(system)
    ? formatScore(numberOf(system[name]))
    : formatPercent(numberOf(system[name]), 1);
}

function sayChange(system: Members): string {
  const change = membersOf(system["change"]);
  if (isScored(system)) return sayMeasure(change["difference"], change["ci"], "points");
  const points = sayPoints(change["difference"], change["ci"]);
  return points === "–" ? points : `${points} points`;
}

function Systems({ rows, level, within }: { rows: Members[]; level: string; within: boolean }) {
  const [before, now] = headsOf(rows[0], within);
  const of = (name: string) => (row: Members) => membersOf(row["change"])[name];
  const columns: Column<Members>[] = [
    {
      head: "System",
      cell: (row) => (
        <>
          <Shown text={nameOf(row, "system")} />
          {row["system"] !== row["baseline_system"] && (
            <>
              {" "}
              against <Shown text={nameOf(row, "baseline_system")} />
            </>
          )}
        </>
      ),
    },
    { head: "Verdict", cell: (row) => <Shown text={nameOf(row, "verdict")} /> },
    { head: "Measure", cell: (row) => <Shown text={nameOf(row, "measure")} /> },
    { head: before, num: true, cell: (row) => sayBefore(row, within) },
    { head: now, num: true, cell: (row) => say(row, "now") },
    { head: `Difference (${level} interval)`, num: true, cell: sayChange },
    { head: "p", num: true, cell: (row) => formatP(numberOf(of("p")(row))) },
    { head: "Items", num: true, cell: (row) => formatNumber(numberOf(of("items")(row))) },
    {
      head: within ? "Won / lost" : "Up / down",
      num: true,
      cell: (row) =>
        `${formatNumber(numberOf(of("up")(row)))} / ${formatNumber(numberOf(of("down")(row)))}`,
    },
  ];
  if (!within)
    columns.push({
      head: "Answers changed",
      num: true,
      cell: (row) => countIn(row, "items_changed"),
    });
  return (
    <>
      <DataTable
        label="Systems"
        rows={rows}
        marked={(row) => row["verdict"] === "worse"}
        columns={columns}
      />
      {!within && (
        <p class="note">
          Where the judge’s own change could be measured, it is taken out of the difference: where
          no answer changed, only the judge can have moved.
        </p>
      )}
    </>
  );
}

function Drift({ drift }: { drift: Members }) {
  if (numberOf(drift["judgments"]) === null) return null;
  const words = `${countIn(drift, "turned")} of ${countIn(drift, "judgments")} judgments of the same answers, on ${countIn(drift, "items")} items, now prefer the other.`;
  return drift["significant"] === true ? (
    <Notice kind="warning">The judge itself changed: {words}</Notice>
  ) : (
    <Notice kind="note">No change of the judge itself was found: {words}</Notice>
  );
}

function Items({ system, open, within }: { system: Members; open: boolean; within: boolean }) {
  const [before, now] = headsOf(system, within);
  const move = (row: Members) => (numberOf(row["now"]) ?? 0) - (numberOf(row["before"]) ?? 0);
  const rows = [...rowsOf(system["by_item"])].sort(
    (one, other) => Math.abs(move(other)) - Math.abs(move(one)),
  );
  const measured = (row: Members) => ({ ...row, measure: system["measure"] ?? null });
  const columns: Column<Members>[] = [
    { head: "Item", cell: (row) => <ItemLink row={row} /> },
    { head: before, num: true, cell: (row) => sayBefore(measured(row), within) },
    { head: now, num: true, cell: (row) => say(measured(row), "now") },
  ];
  if (!within)
    columns.push({
      head: "Answer",
      cell: (row) => (row["changed"] === true ? "changed" : "the same"),
    });
  return (
    <details open={open}>
      <summary>
        <Shown text={nameOf(system, "system")} />{" "}
        <small>{countOf(rows.length, "item", "items")}</small>
      </summary>
      <DataTable
        label={`Items of ${nameOf(system, "system")}`}
        rows={rows.slice(0, ITEMS)}
        columns={columns}
      />
    </details>
  );
}

/** Leads to a judgment on the item, where the file holds it. */
function ItemLink({ row }: { row: Members }) {
  const { overview, route } = usePage();
  const trial = numberOf(row["judgment"]);
  const name = <Shown text={nameOf(row, "item")} />;
  return trial === null || !overview.counts.rows ? (
    name
  ) : (
    <a href={linkTo(route, `judgment/${trial}`)}>{name}</a>
  );
}
