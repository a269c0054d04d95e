import type { ComponentChildren } from "preact";
import { usePage } from "../context";
import { Drawing, FigureView } from "../figures/figure";
import { GenericReport } from "../parts/generic";
import { Notice } from "../parts/notice";
import { Deviations, OnSlice, SliceHead, useSlice } from "../parts/slices";
import { Basis } from "./basis";
import { OtherReport } from "./other";
import { linkTo } from "../route";
import {
  countOpen,
  groupTied,
  listOf,
  membersOf,
  numberOf,
  type RankingReport,
  type RankingRow,
  readRanking,
  saysApart,
  textOf,
} from "../source/report";
import { readSliced, type Slice, type Sliced } from "../source/slices";
import type { DotsFigure, Json, Overview } from "../source/types";
import { countOf, formatNumber, formatPercent, formatScore } from "../text/format";
import { Shown } from "../text/visible";

export function RankingPage() {
  const { overview } = usePage();
  const report = readRanking(overview.report);
  return (
    <>
      <Unfinished overview={overview} />
      {report ? (
        <Ranking report={report} />
      ) : (
        <OtherReport overview={overview}>
          <Warnings overview={overview} />
        </OtherReport>
      )}
      {report && <Warnings overview={overview} />}
      <Criteria report={overview.report} />
      {report && <Rest report={overview.report} />}
      <Basis overview={overview} />
      {report && overview.figures.length > 1 && (
        <section class="print-only">
          <h2>Figures</h2>
          {overview.figures.slice(1).map((figure, index) => (
            <FigureView key={index} figure={figure} />
          ))}
        </section>
      )}
    </>
  );
}

/** That a run is not at its end stands above all else. */
function Unfinished({ overview }: { overview: Overview }) {
  const unfinished = sayUnfinished(overview);
  return unfinished ? <Notice kind="warning">{unfinished}</Notice> : null;
}

/** What limits the answer, without what the answer says itself. */
function Warnings({ overview }: { overview: Overview }) {
  const members = membersOf(overview.report);
  const kinds = listOf(members["warning_kinds"]);
  const said = listOf(membersOf(members["answer"])["says"]);
  const warnings = listOf(members["warnings"])
    .filter((_, at) => kinds[at] === undefined || !said.includes(kinds[at]))
    .map((warning) => textOf(warning) ?? JSON.stringify(warning))
    .concat(warningsOfJudges(members));
  const sample = overview.sample;
  if (!warnings.length && !sample) return null;
  return (
    <section aria-label="Warnings" class="warnings">
      {warnings.map((warning, index) => (
        <Notice key={index} kind="warning">
          <Shown text={warning} />
        </Notice>
      ))}
      {sample && (
        <Notice kind="note">
          <Shown
            text={`This file holds ${formatNumber(sample.kept)} of ${formatNumber(sample.of)} judgments: ${sample.how}`}
          />
        </Notice>
      )}
    </section>
  );
}

/** The warnings of each of several judges, with the names of those that it is of, where not of all. */
function warningsOfJudges(members: { [key: string]: Json }): string[] {
  const judges = [...listOf(members["audits"]), ...listOf(members["judges"])].map(membersOf);
  const known = new Map<string, string[]>();
  for (const { judge, warnings } of judges)
    for (const warning of listOf(warnings).flatMap((one) => textOf(one) ?? []))
      known.set(warning, [...(known.get(warning) ?? []), textOf(judge) ?? "–"]);
  return [...known].map(([warning, names]) =>
    names.length === judges.length ? warning : `${names.join(", ")}: ${warning}`,
  );
}

/** Says how far a run came that is not at its end; null where it is, or that is not known. */
function sayUnfinished(overview: Overview): string | null {
  const { state, planned, judgments = 0, mode } = overview;
  const ends = typeof planned === "number";
  if (ends ? judgments >= planned : state !== "stopped" && state !== "running") return null;
  const count = ends
    ? `${formatNumber(judgments)} of ${countOf(planned, "judgment", "judgments")}`
    : countOf(judgments, "judgment", "judgments");
  if (state === "running")
    return mode === "server"
      ? `This run is under way: ${count} so far.`
      : `This run was under way when this page was made: it had ${count}.`;
  return `This run stopped after ${count}. The command that made it resumes it.`;
}

function Ranking({ report: whole }: { report: RankingReport }) {
  const { overview } = usePage();
  const { sliced, slice } = useSlice(overview.report);
  const report = slice ? rankSlice(whole, slice) : whole;
  return (
    <>
      <h1 class="over">Ranking</h1>
      <SliceHead sliced={sliced} slice={slice} />
      <Headline report={report} on={sliced && slice && <OnSlice sliced={sliced} slice={slice} />} />
      {report.rows.length > 0 && (
        <RankingParts
          report={report}
          filter={sliced && slice ? filterOf(overview, sliced, slice) : {}}
        />
      )}
      <Deviations sliced={sliced} />
    </>
  );
}

/** The ranking of a slice. The differences of the whole say nothing of it. */
function rankSlice(whole: RankingReport, slice: Slice): RankingReport {
  const own = readRanking(slice.members);
  return { ...whole, answer: own?.answer ?? null, rows: own?.rows ?? [], differences: [] };
}

/** What keeps the judgments of a slice, where the list of judgments knows its field. */
function filterOf(overview: Overview, sliced: Sliced, { value }: Slice): Record<string, string> {
  return sliced.field === "category" && overview.categories.includes(value)
    ? { category: value }
    : {};
}

function RankingParts({
  report,
  filter,
}: {
  report: RankingReport;
  filter: Record<string, string>;
}) {
  return (
    <>
      {report.rows.some(({ score }) => score !== null) && (
        <div class="ranking-figures">
          <Drawing figure={scoreFigure(report)} />
          <RankFigure report={report} />
        </div>
      )}
      <RankingTable report={report} filter={filter} />
      <TiedNote report={report} />
    </>
  );
}

/** The answer in the report's own words; `on` are the words that name a slice. Of reports of earlier
 * versions, which have none, no more is said than who is first. */
function Headline({ report, on }: { report: RankingReport; on: ComponentChildren }) {
  return (
    <p class="lead headline">
      {on}
      <Shown text={report.answer === null ? sayFirst(report, on !== null) : `${report.answer}.`} />
    </p>
  );
}

function sayFirst({ rows }: RankingReport, isWithin: boolean): string {
  const [first] = rows;
  if (!first || (first.rank === null && first.score === null))
    return `${isWithin ? "no" : "No"} system has a score.`;
  return `${first.system} is first.`;
}

function scoreFigure(report: RankingReport): DotsFigure {
  const level = formatPercent(report.level);
  return {
    kind: "dots",
    title: "Scores with intervals",
    axis: { label: report.unit },
    rows: report.rows.map((row) => ({
      label: row.system,
      group: null,
      value: row.score,
      low: row.ci?.[0] ?? null,
      high: row.ci?.[1] ?? null,
      text: `${formatScore(row.score)}${hasInterval(row) ? `, ${level} interval ${intervalText(row)}` : ""}`,
    })),
  };
}

/** Rank intervals, and at the right a bar over those that cannot be told apart. */
function RankFigure({ report }: { report: RankingReport }) {
  const count = Math.max(1, report.rows.length);
  const groups = groupTied(report);
  const [width, line, top] = [Math.min(260, 40 + 26 * count), 30, 22];
  const x = (rank: number) => 16 + ((rank - 1) / Math.max(1, count - 1)) * (width - 32);
  const labels = report.rows
    .map((_, index) => index + 1)
    .filter((rank) => count <= 8 || rank === 1 || rank === count);
  return (
    <svg
      class="ranks"
      width={width + 16 * groups.length + 12}
      height={top + line * count + 30}
      role="img"
      aria-label="Rank intervals, and bars that join systems which cannot be told apart; the table has the numbers"
    >
      <text x={0} y={14}>
        Rank intervals
      </text>
      {labels.map((rank) => (
        <text key={rank} x={x(rank)} y={top + line * count + 18} text-anchor="middle">
          {rank}
        </text>
      ))}
      {report.rows.map((row, index) => (
        <g key={index}>
          <line
            x1={10}
            x2={width - 10}
            y1={top + line * (index + 0.5)}
            y2={top + line * (index + 0.5)}
            stroke="var(--line)"
          />
          {row.rankCi && (
            <line
              x1={x(row.rankCi[0])}
              x2={x(row.rankCi[1])}
              y1={top + line * (index + 0.5)}
              y2={top + line * (index + 0.5)}
              stroke="var(--c0)"
              stroke-width="7"
              stroke-opacity="0.4"
              stroke-linecap="round"
            />
          )}
          {row.rank !== null && (
            <circle cx={x(row.rank)} cy={top + line * (index + 0.5)} r="4.5" fill="var(--c0)" />
          )}
        </g>
      ))}
      {groups.map(([from, to], index) => (
        <line
          key={index}
          x1={width + 10 + 16 * index}
          x2={width + 10 + 16 * index}
          y1={top + line * from + 6}
          y2={top + line * (to + 1) - 6}
          stroke="var(--c1)"
          stroke-width="5"
          stroke-linecap="round"
        />
      ))}
    </svg>
  );
}

export function RankingTable({
  report,
  filter = {},
}: {
  report: RankingReport;
  filter?: Record<string, string>;
}) {
  const { overview, route } = usePage();
  const groups = groupTied(report);
  const isShared = notesOf(report).length === 1 && report.rows.every(({ note }) => note !== null);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Ranking as a table">
      <table class="ranking">
        <thead>
          <tr>
            <th scope="col" class="num">
              Rank
            </th>
            <th scope="col">System</th>
            <th scope="col" class="num">
              Score
            </th>
            <th scope="col">{formatPercent(report.level)} interval</th>
            <th scope="col" class="rank-interval">
              Rank interval
            </th>
            <th scope="col" class="num">
              Judgments
            </th>
            <th scope="col">Not told apart</th>
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row, index) => (
            <tr key={index}>
              <td class="num" data-ranks={row.rankCi?.join(" to ")}>
                {formatNumber(row.rank)}
              </td>
              <th scope="row">
                {overview.counts.rows ? (
                  <a href={linkTo(route, "judgments", { system: row.system, ...filter })}>
                    <Shown text={row.system} />
                  </a>
                ) : (
                  <Shown text={row.system} />
                )}
              </th>
              <td class="num">{formatScore(row.score)}</td>
              <td>{intervalText(row)}</td>
              <td class="rank-interval">
                {row.rankCi ? `${row.rankCi[0]} to ${row.rankCi[1]}` : "–"}
              </td>
              <td class="num">{formatNumber(row.n)}</td>
              <td class="letters">
                <GroupBars groups={groups} index={index} />
                {row.note && !isShared && (
                  <small>
                    <Shown text={row.note} />
                  </small>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A bar for each group of systems that cannot be told apart of which this row is one. */
function GroupBars({ groups, index }: { groups: [number, number][]; index: number }) {
  const own = groups.flatMap(([from, to], at) => (index >= from && index <= to ? [at + 1] : []));
  if (!own.length) return null;
  const label = `in ${own.length === 1 ? "group" : "groups"} ${own.join(" and ")} of ${groups.length}`;
  return (
    <span class="bars" role="img" aria-label={label} title={label}>
      {groups.map((_, at) => (
        <i key={at} class={own.includes(at + 1) ? "on" : ""} />
      ))}
    </span>
  );
}

/** An interval that is open at both ends says nothing. */
function hasInterval({ ci }: RankingRow): boolean {
  return ci !== null && (ci[0] !== null || ci[1] !== null);
}

function intervalText(row: RankingRow): string {
  return row.ci && hasInterval(row)
    ? `${formatScore(row.ci[0])} to ${formatScore(row.ci[1])}`
    : "–";
}

/** The different notes on rows. */
function notesOf(report: RankingReport): string[] {
  return [...new Set(report.rows.flatMap(({ note }) => note ?? []))];
}

function TiedNote({ report }: { report: RankingReport }) {
  const groups = groupTied(report);
  const [note] = notesOf(report);
  if (report.rows.length < 2) return null;
  if (!saysApart(report))
    return (
      <p class="note">
        <Shown text={note ?? "There are no intervals."} />
      </p>
    );
  const open = countOpen(report);
  if (!open)
    return (
      <p class="note">
        Every system can be told apart from every other at the {formatPercent(report.level)} level.
      </p>
    );
  if (!groups.length)
    return (
      <p class="note">
        Neighbours can be told apart at the {formatPercent(report.level)} level;{" "}
        {countOf(open, "pair that is", "pairs that are")} further apart cannot by themselves.
      </p>
    );
  return (
    <p class="note">
      Systems that share a bar cannot be told apart by this run: their order may be noise. More
      items would narrow the intervals.
    </p>
  );
}

/** What the pages show elsewhere, or not at all. */
const SHOWN = new Set(
  "answer ranking unit ci warnings warning_kinds criteria judge protocol design coverage consistency first_slot noise usage slices interaction".split(
    " ",
  ),
);

function Rest({ report }: { report: Json }) {
  const differences = readRanking(report)?.differences ?? [];
  const rest = Object.fromEntries(
    Object.entries(membersOf(report)).filter(([name]) => !SHOWN.has(name)),
  );
  return (
    <>
      {differences.length > 0 && (
        <details>
          <summary>
            Differences of pairs{" "}
            <small>
              {countOf(differences.length, "pair", "pairs")}
              {readSliced(report) && ", over all items"}
            </small>
          </summary>
          <GenericReport value={rest["differences"] ?? null} />
        </details>
      )}
      <details>
        <summary>More of this ranking</summary>
        <GenericReport value={{ ...rest, differences: null }} />
      </details>
    </>
  );
}

/** A ranking by each criterion of a checklist. */
function Criteria({ report }: { report: Json }) {
  const members = membersOf(report);
  const rankings = listOf(membersOf(members["criteria"])["rankings"]).map(membersOf);
  if (!rankings.length) return null;
  return (
    <section>
      <h2>By criterion</h2>
      {rankings.map((by, index) => {
        const ranking = readRanking({
          ranking: by["ranking"] ?? null,
          ci: members["ci"] ?? null,
          unit: "share",
        });
        const name =
          textOf(by["criterion"]) ??
          (by["kind"] === "own-faults" ? "faults of single items" : "criteria of single items");
        return (
          ranking && (
            <details key={index} open={index < 3}>
              <summary>
                <Shown text={name} />
                {by["fault"] === true && ", a fault: share without it"}{" "}
                <small>{countOf(numberOf(by["items"]) ?? 0, "item", "items")}</small>
              </summary>
              <RankingTable report={ranking} />
            </details>
          )
        );
      })}
    </section>
  );
}
