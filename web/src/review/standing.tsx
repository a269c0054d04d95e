import { useEffect, useState } from "preact/hooks";
import { usePage } from "../context";
import { DataTable } from "../parts/datatable";
import { Notice } from "../parts/notice";
import { SaidList } from "../parts/said";
import { countIn, nameOf, rowsOf } from "../reports/measure";
import { linkTo } from "../route";
import type { ReviewSource } from "../source/source";
import { listOf, membersOf, numberOf, readRanking, textOf } from "../source/report";
import type { Json } from "../source/types";
import { countOf, formatNumber, formatPercent } from "../text/format";
import { Shown } from "../text/visible";
import { RankingTable } from "../pages/ranking";

/** Agreement, the corrected ranking and what is to be adjudicated, read anew after every label. Folded
 * while somebody judges, who then adjudicates; open where nobody does. */
export function Standing({
  review,
  changed,
  adjudicate,
}: {
  review: ReviewSource;
  changed: number;
  adjudicate: (() => void) | null;
}) {
  const [open, setOpen] = useState(adjudicate === null);
  const [summary, setSummary] = useState<Json>(null);
  const [disagreements, setDisagreements] = useState<Json>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `changed` counts the labels.
  useEffect(() => {
    if (!open) return;
    review.get("summary", {}).then(setSummary, () => undefined);
    review.get("disagreements", {}).then(setDisagreements, () => undefined);
  }, [open, changed, review]);
  return (
    <details class="standing" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Agreement, corrected ranking and disagreements</summary>
      {summary !== null && <Summary summary={membersOf(summary)} />}
      <Disagreements
        rows={rowsOf(membersOf(disagreements)["disagreements"])}
        adjudicate={
          adjudicate &&
          (() => {
            // The pairs come below.
            setOpen(false);
            adjudicate();
          })
        }
      />
    </details>
  );
}

type Members = { [key: string]: Json };

function Summary({ summary }: { summary: Members }) {
  const agreement = membersOf(summary["agreement"]);
  const judge = membersOf(summary["judge"]);
  const kappas = rowsOf(agreement["kappas"]);
  if (!numberOf(summary["labels"])) return <p>No labels yet.</p>;
  return (
    <>
      <p>{sayLabels(summary)}</p>
      <dl>
        <div>
          <dt>Annotators agree</dt>
          <dd>
            {numberOf(agreement["units"]) ? (
              <>
                {sayFigure("alpha", agreement, numberOf(agreement["alpha"]))}{" "}
                <small>
                  on {countIn(agreement, "units")} pairs that several judged (Krippendorff's, of
                  win, tie and loss, each counted for both systems; as{" "}
                  <code>evenhand meta people</code>)
                </small>
              </>
            ) : (
              "No pair has labels of two people yet."
            )}
          </dd>
        </div>
        <div>
          <dt>The judge agrees</dt>
          <dd>
            {numberOf(judge["n"]) ? (
              <>
                on {formatPercent(numberOf(judge["agree"]))} of {countIn(judge, "n")} pairs,{" "}
                {sayFigure("kappa", judge, numberOf(judge["kappa"]))}{" "}
                <small>
                  what more people say of a pair than anything else, against the mean of the judge's
                  verdicts in both orders (<code>accuracy_averaged</code> of{" "}
                  <code>evenhand meta judge</code>)
                </small>
              </>
            ) : (
              "No labelled pair has a verdict of the judge."
            )}
          </dd>
        </div>
      </dl>
      <DataTable
        label="Annotators"
        rows={rowsOf(summary["annotators"])}
        columns={[
          { head: "Annotator", cell: (row) => <Shown text={nameOf(row, "annotator")} /> },
          ...[
            ["Labels", "labels"],
            ["Ties", "ties"],
            ["Both bad", "both_bad"],
            ["Skipped", "skipped"],
          ].map(([head, name]) => ({
            head: head!,
            num: true,
            cell: (row: Members) => countIn(row, name!),
          })),
        ]}
      />
      {kappas.length > 0 && (
        <DataTable
          label="Agreement of two"
          rows={kappas}
          columns={[
            {
              head: "Annotators",
              cell: (row) => (
                <>
                  <Shown text={nameOf(row, "a")} /> and <Shown text={nameOf(row, "b")} />
                </>
              ),
            },
            { head: "Pairs", num: true, cell: (row) => countIn(row, "n") },
            { head: "Agree", num: true, cell: (row) => formatPercent(numberOf(row["agree"])) },
            { head: "Kappa", num: true, cell: (row) => sayFigure("", row, numberOf(row["kappa"])) },
          ]}
        />
      )}
      <Corrected summary={summary} />
    </>
  );
}

function sayLabels(summary: Members): string {
  const count = (name: string) => numberOf(summary[name]) ?? 0;
  const said = `${countOf(count("labels"), "label", "labels")} of ${countOf(count("pairs"), "pair", "pairs")}`;
  const decided = count("adjudicated");
  const adjudicated = `${formatNumber(decided)} ${decided === 1 ? "is" : "are"} adjudicated`;
  return count("disagreements")
    ? `${said}; annotators disagree on ${countIn(summary, "disagreements")}, of which ${adjudicated}.`
    : `${said}; no annotators disagree.`;
}

function sayFigure(name: string, from: Members, value: number | null): string {
  if (value !== null) return `${name} ${formatNumber(value, 2)}`.trim();
  return textOf(from["note"]) ?? `${name} –`.trim();
}

function Corrected({ summary }: { summary: Members }) {
  const ranking = summary["ranking"] ?? null;
  const report = readRanking(ranking);
  const warnings = listOf(membersOf(ranking)["warnings"])
    .map(textOf)
    .filter((text) => text !== null);
  return (
    <>
      <h2>Ranking, corrected by these labels</h2>
      {report ? (
        <>
          <RankingTable report={report} />
          {warnings.map((warning, at) => (
            <Notice key={at} kind="warning">
              <Shown text={warning} />
            </Notice>
          ))}
        </>
      ) : (
        <p class="note">
          <Shown text={textOf(summary["ranking_note"]) ?? "There is none yet."} />
        </p>
      )}
    </>
  );
}

function Disagreements({ rows, adjudicate }: { rows: Members[]; adjudicate: (() => void) | null }) {
  const { route } = usePage();
  if (!rows.length) return null;
  return (
    <>
      <h2>To adjudicate</h2>
      <p>
        {adjudicate ? (
          <button type="button" onClick={adjudicate}>
            Adjudicate {formatNumber(rows.length)}
          </button>
        ) : (
          `${countOf(rows.length, "pair", "pairs")}: begin under a name above, and choose the pairs to adjudicate.`
        )}
      </p>
      <DataTable
        label="Disagreements"
        rows={rows}
        columns={[
          {
            head: "Item",
            cell: (row) => (
              <a href={linkTo(route, `judgment/${textOf(row["id"])}`)}>
                <Shown text={nameOf(row, "item")} />
              </a>
            ),
          },
          { head: "Instruction", cell: (row) => <Shown text={nameOf(row, "excerpt")} /> },
          {
            head: "Systems",
            cell: (row) => (
              <>
                <Shown text={nameOf(row, "a")} /> and <Shown text={nameOf(row, "b")} />
              </>
            ),
          },
          { head: "Who prefers what", cell: (row) => <SaidList said={rowsOf(row["said"])} /> },
        ]}
      />
    </>
  );
}
