import type { ComponentChildren } from "preact";
import { type Column, DataTable } from "../parts/datatable";
import { FoldedParts, type Part } from "../parts/folded";
import { listOf, membersOf, numberOf, textOf } from "../source/report";
import type { Json } from "../source/types";
import { formatNumber } from "../text/format";
import { plainText, Shown } from "../text/visible";
import {
  countIn,
  type Form,
  levelOf,
  type Members,
  nameOf,
  rowsOf,
  sayMeasure,
  sayNamed,
  sayObject,
  sayPoints,
} from "./measure";
import { aheadColumn, CORRECTED, JudgeTable, Paired } from "./judge";

const MEASURES: [string, string, Form][] = [
  ["spearman", "Spearman", "number"],
  ["kendall_tau_b", "Kendall tau-b", "number"],
  ["strict_agreement", "Pairs in the same order", "share"],
  ["separability", "Pairs told apart", "share"],
  ["agreement_with_confidence", "Agreement with confidence", "share"],
  ["brier", "Brier score", "number"],
  ["log_loss", "Log loss", "number"],
];

/** `meta bencher`: a ranking, or several, against people's ratings. */
export function BencherReport({ report, children }: { report: Json; children: ComponentChildren }) {
  const members = membersOf(report);
  const several = rowsOf(members["benchers"]);
  const benchers = several.length ? several : [members];
  const [first] = benchers;
  return (
    <>
      {members["answer"] ? null : several.length > 1 ? (
        <p class="lead">
          {several.length} rankings against people’s ratings of {countIn(first!, "n")} systems.
        </p>
      ) : (
        <p class="lead">
          <Shown text={nameOf(first!, "bencher")} /> and people order {countIn(first!, "n")} systems
          with a Spearman correlation of <b>{sayNamed(first!, "spearman", "number")}</b>;{" "}
          {sayNamed(first!, "strict_agreement", "share")} of pairs stand in the same order.
        </p>
      )}
      {children}
      <Measures benchers={benchers} />
      <Caveats report={members} about="benchers" />
      <Notes benchers={benchers} named={(row) => nameOf(row, "bencher")} />
      <Differences members={members} />
      {benchers.map((bencher, at) => (
        <Systems key={at} bencher={bencher} open={benchers.length === 1} />
      ))}
    </>
  );
}

function Measures({ benchers }: { benchers: Members[] }) {
  if (benchers.length === 1) {
    return (
      <DataTable
        label="Agreement"
        rows={MEASURES.filter(([name]) => typeof benchers[0]![name] === "number")}
        columns={[
          { head: "Figure", cell: ([, label]) => label },
          {
            head: `Value (${levelOf(benchers[0]!)} interval)`,
            num: true,
            cell: ([name, , form]) => sayNamed(benchers[0]!, name, form),
          },
        ]}
      />
    );
  }
  return (
    <BencherTable
      rows={benchers}
      named={[
        { head: "Ranking", cell: (row) => <Shown text={nameOf(row, "bencher")} /> },
        { head: "Aggregation", cell: (row) => <Shown text={nameOf(row, "aggregation")} /> },
      ]}
    />
  );
}

/** What the figures of a list of the report do not say by themselves. */
function Caveats({ report, about }: { report: Members; about: string }) {
  const caveats = rowsOf(report["caveats"]).filter((caveat) => caveat["about"] === about);
  return caveats.map((caveat, at) => (
    <p key={at} class="note">
      Note: <Shown text={`${nameOf(caveat, "text")}.`} />
    </p>
  ));
}

/** Why figures or intervals are missing, each reason once, with the rankings that it is of, where
 * not of all. */
function Notes({ benchers, named }: { benchers: Members[]; named: (row: Members) => string }) {
  const known = new Map<string, string[]>();
  for (const bencher of benchers)
    for (const note of listOf(bencher["notes"]).flatMap((one) => textOf(one) ?? []))
      known.set(note, [...(known.get(note) ?? []), named(bencher)]);
  if (!known.size) return null;
  return (
    <details>
      <summary>Why intervals are missing, and what was left out</summary>
      <ul>
        {[...known].map(([note, names], at) => (
          <li key={at}>
            <Shown text={note} />
            {names.length < benchers.length && (
              <>
                {" "}
                (<Shown text={sayNames(names)} />)
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Some names, and how many more there are. */
function sayNames(names: string[]): string {
  const more =
    names.length > MOST_NAMED ? `; and ${formatNumber(names.length - MOST_NAMED)} more` : "";
  return names.slice(0, MOST_NAMED).join("; ") + more;
}

const MOST_NAMED = 3;

/** How the other rankings differ from the first. */
function Differences({ members }: { members: Members }) {
  const rows = rowsOf(members["differences"]);
  const answer = textOf(membersOf(members["differences_answer"])["text"]);
  if (!rows.length) return null;
  return (
    <>
      <h2>Differences between the rankings</h2>
      {answer !== null && (
        <p class="answer">
          <Shown text={`${answer}.`} />
        </p>
      )}
      <DataTable
        label="Differences between the rankings"
        rows={rows}
        columns={[
          { head: "Ranking", cell: (row) => <Shown text={nameOf(row, "bencher")} /> },
          { head: "Less", cell: (row) => <Shown text={nameOf(row, "less")} /> },
          { head: "Spearman", num: true, cell: (row) => sayNamed(row, "spearman", "number") },
          {
            head: "Kendall tau-b",
            num: true,
            cell: (row) => sayNamed(row, "kendall_tau_b", "number"),
          },
        ]}
      />
      <Caveats report={members} about="differences" />
    </>
  );
}

function BencherTable({
  rows,
  named,
  marked,
}: {
  rows: Members[];
  named: Column<Members>[];
  marked?: (row: Members) => boolean;
}) {
  const known = MEASURES.filter(([name]) => rows.some((row) => typeof row[name] === "number"));
  const columns = known.map(([name, head, form]) => ({
    head,
    num: true,
    cell: (row: Members) => sayNamed(row, name, form),
  }));
  return (
    <DataTable
      label="Agreement with people’s ratings"
      rows={rows}
      columns={[...named, ...columns]}
      {...(marked ? { marked } : {})}
    />
  );
}

function Systems({ bencher, open }: { bencher: Members; open: boolean }) {
  const systems = rowsOf(bencher["systems"]);
  if (!systems.length) return null;
  return (
    <details open={open}>
      <summary>
        Systems
        {open ? (
          ""
        ) : (
          <>
            {" "}
            of <Shown text={nameOf(bencher, "bencher")} />
          </>
        )}
      </summary>
      <DataTable
        label="Systems"
        rows={systems}
        columns={[
          { head: "System", cell: (row) => <Shown text={nameOf(row, "system")} /> },
          { head: "Rated as", cell: (row) => <Shown text={nameOf(row, "rated_as")} /> },
          {
            head: "Score",
            num: true,
            cell: (row) => sayMeasure(row["score"], row["ci"], "points"),
          },
          { head: "People’s rating", num: true, cell: (row) => sayNamed(row, "rating", "points") },
        ]}
      />
    </details>
  );
}

/** `meta study`: which judge, protocol and aggregation to take, and at what cost. */
export function StudyReport({ report, children }: { report: Json; children: ComponentChildren }) {
  const members = membersOf(report);
  const advice = membersOf(members["recommendation"]);
  const says = Array.isArray(advice["text"]) ? advice["text"] : [];
  const labelled = [...rowsOf(members["labelled"]), ...rowsOf(members["totals"])];
  const paired = rowsOf(members["protocol_differences"]).flatMap(({ total, differences }) =>
    rowsOf(differences).map((row) => ({ ...row, total: total ?? null })),
  );
  const variations = rowsOf(members["prompt_variations"]);
  const frontier = rowsOf(members["frontier"]);
  const benchers = rowsOf(members["benchers"]);
  const ranks = rowsOf(members["judge_ranks"]);
  const inputs = new Set(benchers.map(({ input }) => input));
  const chosen = typeof advice["row"] === "number" ? benchers[advice["row"]] : undefined;
  const parts: Part[] = [
    {
      title: "The best for each budget",
      rows: frontier,
      body: (
        <>
          <Frontier rows={frontier} benchers={benchers} unit={nameOf(members, "unit")} />
          <Caveats report={members} about="frontier" />
        </>
      ),
    },
    {
      title: "Ranking of judges",
      rows: ranks,
      body: <JudgeRanks rows={ranks} level={levelOf(members)} />,
    },
    {
      title: "Every combination",
      rows: benchers,
      body: (
        <>
          <BencherTable
            rows={benchers}
            marked={(row) => row === chosen}
            named={[
              { head: "Judge", cell: (row) => <Shown text={nameOf(row, "judge")} /> },
              { head: "Protocol", cell: (row) => <Shown text={nameOf(row, "type")} /> },
              ...(inputs.size > 1
                ? [
                    {
                      head: "Input",
                      cell: (row: Members) => <Shown text={nameOf(row, "input")} />,
                    },
                  ]
                : []),
              { head: "Aggregation", cell: (row) => <Shown text={nameOf(row, "aggregation")} /> },
              {
                head: "Calls",
                num: true,
                cell: (row) => countIn(membersOf(row["spent"]), "calls"),
              },
            ]}
          />
          <Caveats report={members} about="benchers" />
          <Notes
            benchers={benchers}
            named={(row) =>
              ["judge", "type", "input", "aggregation"].map((name) => nameOf(row, name)).join(", ")
            }
          />
        </>
      ),
    },
    {
      title: "Judges against people’s labels",
      rows: labelled,
      body: (
        <JudgeTable
          judges={labelled}
          level={levelOf(members)}
          named={[{ head: "Input", cell: (row) => <Shown text={nameOf(row, "input")} /> }]}
        />
      ),
    },
    {
      title: "On the same pairs",
      rows: paired,
      body: (
        <>
          <p class="note">
            How far the first is ahead of the second on the pairs that both judged.
          </p>
          <Paired rows={paired} level={levelOf(members)} />
        </>
      ),
    },
    {
      title: "Prompts",
      rows: variations,
      body: variations.map((variation, at) => (
        <Prompts key={at} variation={variation} level={levelOf(members)} />
      )),
    },
  ];
  return (
    <>
      {says.map((sentence, at) => (
        <p key={at} class={at ? "note" : "lead"}>
          <Shown text={sentence} />
        </p>
      ))}
      {children}
      <FoldedParts parts={parts.filter(({ rows }) => rows.length > 0)} />
    </>
  );
}

/** The judges of each input set by how well they order systems, with ranks that hold together. */
function JudgeRanks({ rows, level }: { rows: Members[]; level: string }) {
  const ordered = [...new Set(rows.map(({ input }) => input))].flatMap((input) =>
    rows
      .filter((row) => row.input === input)
      .sort((one, other) => (numberOf(one["rank"]) ?? 1e9) - (numberOf(other["rank"]) ?? 1e9)),
  );
  const columns: Column<Members>[] = [
    { head: "Judge", cell: (row) => <Shown text={nameOf(row, "judge")} /> },
    { head: "Protocol", cell: (row) => <Shown text={nameOf(row, "type")} /> },
    {
      head: `Rank (${level} interval)`,
      num: true,
      cell: ({ rank, rank_low: low, rank_high: high }) =>
        numberOf(rank) === null
          ? "–"
          : `${formatNumber(numberOf(rank))}${
              numberOf(low) === null
                ? ""
                : ` (${formatNumber(numberOf(low))} to ${formatNumber(numberOf(high))})`
            }`,
    },
    { head: "Spearman", num: true, cell: (row) => sayObject(row["rho"], "number") },
  ];
  if (new Set(rows.map(({ input }) => input)).size > 1)
    columns.unshift({ head: "Input", cell: (row) => <Shown text={nameOf(row, "input")} /> });
  const needed = Math.max(0, ...rows.map((row) => numberOf(row["rounds_needed"]) ?? 0));
  return (
    <>
      <DataTable label="Ranking of judges" rows={ordered} columns={columns} />
      <p class="note">
        The intervals of ranks hold for all judges of an input set together.
        {needed > 0 &&
          ` There are too few rounds to exclude any rank: it takes ${formatNumber(needed)}.`}
      </p>
    </>
  );
}

/** The accuracy of a judge with each pack of prompts, and how far the first is ahead of it. */
function Prompts({ variation, level }: { variation: Members; level: string }) {
  const prompts = listOf(variation["prompts"]).map((name) => textOf(name) ?? "–");
  const accuracy = membersOf(variation["accuracy"]);
  const accuracies = listOf(accuracy["accuracies"]);
  const intervals = listOf(accuracy["accuracies_ci"]);
  // The first prompts are not compared with themselves.
  const differences = [{}, ...rowsOf(variation["differences"])];
  const rows: Members[] = prompts.map((prompt, at) => ({
    ...differences[at],
    prompt,
    accuracy: accuracies[at] ?? null,
    accuracy_ci: intervals[at] ?? null,
  }));
  return (
    <>
      <h3>
        <Shown
          text={["judge", "protocol", "total"].map((name) => nameOf(variation, name)).join(", ")}
        />
      </h3>
      <DataTable
        label="Prompts"
        rows={rows}
        columns={[
          { head: "Prompts", cell: (row) => <Shown text={nameOf(row, "prompt")} /> },
          {
            head: `Accuracy (${level} interval)`,
            num: true,
            cell: (row) => sayNamed(row, "accuracy", "share"),
          },
          aheadColumn(`${plainText(prompts[0] ?? "first")} ahead by`, level),
          CORRECTED,
        ]}
      />
      <p class="note">
        Mean {sayNamed(accuracy, "mean", "share")}, standard deviation{" "}
        {sayPoints(accuracy["sd"], null)} points.
      </p>
    </>
  );
}

function Frontier({
  rows,
  benchers,
  unit,
}: {
  rows: Members[];
  benchers: Members[];
  unit: string;
}) {
  const bencher = (row: Members) =>
    typeof row["row"] === "number" ? (benchers[row["row"]] ?? {}) : {};
  return (
    <DataTable
      label="Frontier"
      rows={rows}
      columns={[
        { head: `Cost (${unit})`, num: true, cell: (row) => countIn(row, "cost") },
        { head: "Judge", cell: (row) => <Shown text={nameOf(bencher(row), "judge")} /> },
        { head: "Protocol", cell: (row) => <Shown text={nameOf(bencher(row), "type")} /> },
        {
          head: "Aggregation",
          cell: (row) => <Shown text={nameOf(bencher(row), "aggregation")} />,
        },
        {
          head: "Items",
          num: true,
          cell: (row) => `${countIn(row, "items")} of ${countIn(row, "of")}`,
        },
        { head: "Spearman", num: true, cell: (row) => sayObject(row["rho"], "number") },
        { head: "Kendall tau-b", num: true, cell: (row) => sayObject(row["tau"], "number") },
      ]}
    />
  );
}
