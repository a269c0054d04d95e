import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { usePage } from "../context";
import { Drawing, FEW_ROWS, FigureView } from "../figures/figure";
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
import { nameSlice, readSliced, type Slice, type Sliced } from "../source/slices";
import type { DotsFigure, Json, Overview } from "../source/types";
import { csvName, csvOf, download } from "../text/csv";
import { countOf, formatNumber, formatPercent, formatScore } from "../text/format";
import { Shown, ShownWhole } from "../text/visible";

export function RankingPage() {
  const { overview } = usePage();
  const report = readRanking(overview.report);
  return (
    <>
      <Unfinished overview={overview} />
      {report ? (
        <Ranking report={report}>
          <Warnings overview={overview} />
        </Ranking>
      ) : (
        <OtherReport overview={overview}>
          <Warnings overview={overview} />
        </OtherReport>
      )}
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
  if (overview.state === "failed") return <Failed overview={overview} />;
  const unfinished = sayUnfinished(overview);
  return unfinished ? <Notice kind="warning">{unfinished}</Notice> : null;
}

/** Without a verdict the command may fail again: what it failed on most often comes first. */
function Failed({ overview }: { overview: Overview }) {
  const { route } = usePage();
  const { judgments = 0, planned, counts } = overview;
  const [most] = Object.entries(counts.failures).sort(([, a], [, b]) => b - a);
  const rest = typeof planned === "number" && planned > judgments ? planned - judgments : 0;
  return (
    <Notice kind="warning">
      This run failed: none of {countOf(judgments, "judgment", "judgments")} has a verdict
      {rest > 0 && `, and ${formatNumber(rest)} more were planned`}.{" "}
      {most && (
        <>
          {most[1] === judgments ? "The cause of all is" : "The commonest cause is"}{" "}
          <a href={linkTo(route, "judgments", { failure: most[0] })}>
            <Shown text={most[0]} />
          </a>{" "}
          ({formatNumber(most[1])}). Mend it first: the command that made the run may fail again.
        </>
      )}
    </Notice>
  );
}

/** What limits the answer, and what a file leaves out. */
function Warnings({ overview }: { overview: Overview }) {
  const warnings = warningsOf(overview.report);
  if (!warnings.length && !overview.sample) return null;
  return (
    <section aria-label="Warnings" class="warnings">
      {warnings.map((warning, index) => (
        <Notice key={index} kind="warning">
          <Shown text={warning} />
        </Notice>
      ))}
      <LeftOut overview={overview} />
    </section>
  );
}

/** What a file leaves out. */
function LeftOut({ overview: { sample } }: { overview: Overview }) {
  return sample ? (
    <Notice kind="note">
      <Shown
        text={`This file holds ${formatNumber(sample.kept)} of ${formatNumber(sample.of)} judgments: ${sample.how}`}
      />
    </Notice>
  ) : null;
}

/** The warnings that a report's page shows: those that its answer does not say itself. */
function warningsOf(report: Json): string[] {
  const members = membersOf(report);
  const kinds = listOf(members["warning_kinds"]);
  const said = listOf(membersOf(members["answer"])["says"]);
  return listOf(members["warnings"])
    .filter((_, at) => kinds[at] === undefined || !said.includes(kinds[at]))
    .map((warning) => textOf(warning) ?? JSON.stringify(warning))
    .concat(warningsOfJudges(members));
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

/** Says how far a run came that is not at its end, and of how much of it the ranking below is; null
 * where it is at its end, or that is not known. */
function sayUnfinished(overview: Overview): string | null {
  const progress = sayProgress(overview);
  const { judgments = 0, report } = overview;
  const ranked = numberOf(membersOf(membersOf(report)["coverage"])["trials"]);
  if (progress === null || !readRanking(report) || ranked === null || ranked === judgments)
    return progress;
  return `${progress} The ranking below is an earlier one, of ${countOf(ranked, "judgment", "judgments")}.`;
}

function sayProgress(overview: Overview): string | null {
  const { state, planned, judgments = 0, mode } = overview;
  const ends = typeof planned === "number";
  // A migration asked as much as its answer needed, and the answer says how much.
  if (state === "decided") return null;
  if (ends ? judgments >= planned : state !== "stopped" && state !== "running") return null;
  const count = ends
    ? `${formatNumber(judgments)} of ${countOf(planned, "judgment", "judgments")}`
    : countOf(judgments, "judgment", "judgments");
  if (state === "running")
    return mode === "server"
      ? `This run is under way: ${count} so far.`
      : `This run was under way when this page was made: it had ${count}.`;
  // Audits and studies keep calls, and no judgments.
  const after = ends || judgments ? `after ${count}` : "before its end";
  return `This run stopped ${after}. Run the same command to go on.`;
}

function Ranking({
  report: whole,
  children: warnings,
}: {
  report: RankingReport;
  children: ComponentChildren;
}) {
  const { overview } = usePage();
  const { sliced, slice } = useSlice(overview.report);
  const report = slice ? rankSlice(whole, slice) : whole;
  const limits = slice ? <WarningsOfAll sliced={sliced} overview={overview} /> : warnings;
  return (
    <>
      <h1 class="over">Ranking</h1>
      <SliceHead sliced={sliced} slice={slice} />
      <Headline report={report} on={sliced && slice && <OnSlice sliced={sliced} slice={slice} />} />
      {report.rows.length === 0 && limits}
      {report.rows.length > 0 && (
        <RankingParts
          limits={limits}
          report={report}
          filter={sliced && slice ? filterOf(overview, sliced, slice) : {}}
          file={csvName(
            overview.label ?? overview.title,
            sliced && slice && `${sliced.field}=${nameSlice(slice.value)}`,
          )}
        />
      )}
      <Deviations sliced={sliced} />
    </>
  );
}

/** Below the headline of a slice, that the warnings on the whole stand on its page. */
function WarningsOfAll({ sliced, overview }: { sliced: Sliced | null; overview: Overview }) {
  const { route } = usePage();
  const { length } = warningsOf(overview.report);
  return (
    <>
      {length > 0 && (
        <p class="note">
          The ranking of <a href={linkTo(route, "ranking")}>all {sliced?.counted[1] ?? "items"}</a>{" "}
          has {countOf(length, "warning", "warnings")}.
        </p>
      )}
      <LeftOut overview={overview} />
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

/** With more systems than these, the table comes first, and has a search box. */
const MANY = 40;

/** With more groups of systems that are not told apart than these, bars of them say nothing. */
const GROUPS = 15;

function RankingParts({
  report,
  limits,
  filter,
  file,
}: {
  report: RankingReport;
  /** What limits the answer: it stands below a figure of few systems. */
  limits: ComponentChildren;
  filter: Record<string, string>;
  file: string;
}) {
  const { overview } = usePage();
  const { length } = report.rows;
  const figures = report.rows.some(({ score }) => score !== null) && (
    <div class="ranking-figures">
      <Drawing figure={scoreFigure(report)} />
      {hasRankIntervals(report) && <RankFigure report={report} />}
    </div>
  );
  return (
    <>
      {length > FEW_ROWS && limits}
      {length <= MANY && figures}
      {length <= FEW_ROWS && limits}
      <RankingTable report={report} filter={filter} />
      <TiedNote report={report} />
      <IntervalNote report={report} whole={overview.report} />
      <p class="no-print">
        <button type="button" onClick={() => download(file, rankingCsv(report))}>
          Download this table (CSV)
        </button>
      </p>
      {length > MANY && figures && (
        <details>
          <summary>
            Figure <small>{countOf(length, "system", "systems")}</small>
          </summary>
          {figures}
        </details>
      )}
    </>
  );
}

const METHODS: Record<string, string> = {
  bootstrap: "bootstrap",
  bca: "bias-corrected and accelerated bootstrap",
  sandwich: "robust covariance",
  "prediction-powered": "prediction-powered covariance (PPI++)",
  "length-control": "robust covariance, normal in log-odds,",
};

/** How intervals were made, as the terminal says it. */
function IntervalNote({ report, whole }: { report: RankingReport; whole: Json }) {
  const members = membersOf(whole);
  const ci = membersOf(members["ci"]);
  const method = METHODS[textOf(ci["method"]) ?? ""];
  if (method === undefined || !report.rows.some(hasInterval)) return null;
  const column = textOf(ci["column"]);
  const items = ci["cluster"] === "item" ? "items" : "single judgments";
  const over = textOf(ci["units"]) ?? (column ? `values of ${column}` : items);
  const rounds = numberOf(ci["rounds"]);
  const seed = numberOf(members["seed"]) ?? Number(textOf(members["seed"]) ?? Number.NaN);
  return (
    <p class="note">
      {formatPercent(report.level)} intervals: {method}
      {rounds ? `, ${formatNumber(rounds)} resamples of ` : " over "}
      <Shown text={over} />
      {hasRankIntervals(report) ? "; rank intervals hold jointly" : ""}
      {rounds && !Number.isNaN(seed) ? ` (seed ${seed})` : ""}.
    </p>
  );
}

/** The answer in the report's own words; `on` are the words that name a slice. Of reports of earlier
 * versions, which have none, no more is said than who is first. */
function Headline({ report, on }: { report: RankingReport; on: ComponentChildren }) {
  return (
    <p class="lead headline">
      {on}
      <ShownWhole
        text={
          report.answer === null
            ? sayFirst(report, on !== null)
            : `${on ? goOn(report, report.answer) : report.answer}.`
        }
      />
    </p>
  );
}

/** An answer in the middle of a sentence: with a small letter, unless it begins with a name. */
function goOn({ rows }: RankingReport, answer: string): string {
  const isNamed = rows.some(({ system }) => answer.startsWith(system));
  return isNamed ? answer : answer.charAt(0).toLowerCase() + answer.slice(1);
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
  const tied = groupTied(report);
  const groups = tied.length > GROUPS ? [] : tied;
  const [width, line, top] = [Math.max(90, Math.min(260, 40 + 26 * count)), 30, 22];
  const x = (rank: number) => 16 + ((rank - 1) / Math.max(1, count - 1)) * (width - 32);
  const labels = report.rows
    .map((_, index) => index + 1)
    .filter((rank) => count <= 8 || rank === 1 || rank === count);
  return (
    <svg
      class="ranks"
      width={width + (groups.length ? Math.max(100, 16 * groups.length + 12) : 12)}
      height={top + line * count + 30}
      role="img"
      aria-label="Rank intervals, and bars that join systems which cannot be told apart; the table has the numbers"
    >
      <text x={0} y={14}>
        Rank intervals
      </text>
      {groups.length > 0 && (
        <text x={width + 6} y={14}>
          Not told apart
        </text>
      )}
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
  const [wanted, setWanted] = useState("");
  const groups = groupTied(report);
  const isMany = report.rows.length > MANY;
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = report.rows
    .map((row, index) => ({ row, index }))
    .filter(({ row }) => words.every((word) => row.system.toLowerCase().includes(word)));
  const isShared = notesOf(report).length === 1 && report.rows.every(({ note }) => note !== null);
  // A column in which nothing stands would read as that nothing is uncertain.
  const hasIntervals = report.rows.some(hasInterval);
  const hasRanks = hasRankIntervals(report);
  const isTested = saysApart(report);
  const hasNotes = !isShared && notesOf(report).length > 0;
  const table = (
    <div class="scroll" tabIndex={0} role="group" aria-label="Ranking as a table">
      <table class={isMany ? "ranking many" : "ranking"}>
        <thead>
          <tr>
            <th scope="col" class="num">
              Rank
            </th>
            <th scope="col">System</th>
            <th scope="col" class="num">
              Score
            </th>
            {hasIntervals && (
              <th scope="col" class="interval">
                {formatPercent(report.level)} interval
              </th>
            )}
            {hasRanks && (
              <th scope="col" class="rank-interval">
                Rank interval
              </th>
            )}
            {(isTested || hasNotes) && (
              <th scope="col" class="letters">
                {isTested ? "Not told apart" : "Note"}
              </th>
            )}
            <th scope="col" class="num">
              Judgments
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, index }) => (
            <tr key={index}>
              <td class="num" data-below={row.rankCi?.join(" to ")}>
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
              <td class="num" data-below={hasInterval(row) ? intervalText(row) : undefined}>
                {formatScore(row.score)}
              </td>
              {hasIntervals && <td class="interval">{intervalText(row)}</td>}
              {hasRanks && (
                <td class="rank-interval">
                  {row.rankCi ? `${row.rankCi[0]} to ${row.rankCi[1]}` : "–"}
                </td>
              )}
              {(isTested || hasNotes) && (
                <td class="letters">
                  <GroupBars groups={groups} index={index} />
                  {row.note && !isShared && (
                    <small>
                      <Shown text={row.note} />
                    </small>
                  )}
                </td>
              )}
              <td class="num">{formatNumber(row.n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  if (!isMany) return table;
  return (
    <>
      <form class="filters no-print" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>System</span>
          <input
            type="search"
            name="system"
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
        </label>
        <span class="note" role="status">
          {rows.length === report.rows.length
            ? countOf(rows.length, "system", "systems")
            : `${formatNumber(rows.length)} of ${countOf(report.rows.length, "system", "systems")}`}
        </span>
      </form>
      {table}
    </>
  );
}

/** The table as `--format csv` has it. */
function rankingCsv({ rows }: RankingReport): string {
  const head = "system score ci_low ci_high rank rank_low rank_high n note".split(" ");
  const cells = rows.map(({ system, score, ci, rank, rankCi, n, note }) => [
    ...[system, score, ci?.[0] ?? null, ci?.[1] ?? null],
    ...[rank, rankCi?.[0] ?? null, rankCi?.[1] ?? null, n, note],
  ]);
  return csvOf([head, ...cells]);
}

/** A bar for each group of systems that cannot be told apart of which this row is one. */
function GroupBars({ groups, index }: { groups: [number, number][]; index: number }) {
  const own = groups.flatMap(([from, to], at) => (index >= from && index <= to ? [at + 1] : []));
  if (!own.length) return null;
  if (groups.length > GROUPS) {
    // Whoever shares a group with this row: its neighbours up to there.
    const [first, last] = [groups[own[0]! - 1]![0], groups[own.at(-1)! - 1]![1]];
    return <small>{`places ${first + 1} to ${last + 1}`}</small>;
  }
  const label = `in ${own.length === 1 ? "group" : "groups"} ${own.join(" and ")} of ${groups.length}`;
  return (
    <span class="bars" role="img" aria-label={label} title={label}>
      {groups.map((_, at) => (
        <i key={at} class={own.includes(at + 1) ? "on" : ""} />
      ))}
    </span>
  );
}

function hasRankIntervals({ rows }: RankingReport): boolean {
  return rows.some(({ rankCi }) => rankCi !== null);
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
        <Shown text={`Ranks have no intervals: ${note ?? sayNoRanks(report)}.`} />
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
      {groups.length > GROUPS
        ? "Systems in each other's places under “Not told apart” cannot be told apart"
        : "Systems that share a bar cannot be told apart"}{" "}
      by this run: their order may be noise. More items would narrow the intervals.
    </p>
  );
}

/** Why it is not known who is apart, where the rows do not say it. */
function sayNoRanks(report: RankingReport): string {
  if (report.method === "none") return "none were asked for, so it is not known who is apart";
  const scores = report.rows.some(hasInterval) ? "the scores have, but " : "";
  return `${scores}it was not tested who is apart`;
}

/** What the pages show elsewhere, or what is of use to a machine alone. */
const SHOWN = new Set(
  "fit seed answer label ranking unit ci warnings warning_kinds criteria judge protocol design coverage consistency first_slot noise usage slices interaction".split(
    " ",
  ),
);

/** What members of a ranking are called. */
const NAMES: Record<string, string> = {
  adaptive: "certain orders",
  adjust: "p-values adjusted by",
  agreement: "members of the panel agree",
  components: "groups that comparisons link",
  drop: "judgments that carry the leader",
  first_failures: "first failure of each kind",
  items: "items judged",
  kept: "kept for every edition of the board",
  labels: "labels of people",
  left_out: "verdicts of systems that are not ranked",
  missing: "items without a verdict",
  outcomes: "how comparisons ended",
  outside: "probability on none of the answers",
  panel: "judges of the panel",
  prior: "weight of the prior",
  questions: "questions asked",
  readings: "how replies were read",
  sources: "verdicts read from",
  stages: "trials ended at",
  style: "effects taken out",
  turns: "by turn",
  upkeep: "how scores stay comparable",
};

/** How comparisons ended, in words. */
function sayOutcomes(outcomes: Json): Json {
  const { decided, ties, both_bad: bothBad, apart } = membersOf(outcomes);
  if (typeof decided !== "number" || typeof ties !== "number") return outcomes;
  const counted = apart === true ? "left out" : "counted as ties";
  const bad =
    typeof bothBad === "number" && bothBad > 0
      ? `, ${formatNumber(bothBad)} with both bad, ${counted}`
      : "";
  return `${formatNumber(decided)} decided, ${countOf(ties, "tie", "ties")}${bad}`;
}

function Rest({ report }: { report: Json }) {
  const differences = readRanking(report)?.differences ?? [];
  const sliced = readSliced(report);
  const rest = Object.fromEntries(
    Object.entries(membersOf(report)).filter(([name]) => !SHOWN.has(name)),
  );
  const named = Object.fromEntries(
    Object.entries({ ...rest, differences: null }).map(([name, value]) => [
      NAMES[name] ?? name,
      name === "outcomes" ? sayOutcomes(value) : value,
    ]),
  );
  return (
    <>
      {differences.length > 0 && (
        <details>
          <summary>
            Differences of pairs{" "}
            <small>
              {countOf(differences.length, "pair", "pairs")}
              {sliced && `, over all ${sliced.counted[1]}`}
            </small>
          </summary>
          <GenericReport value={rest["differences"] ?? null} />
        </details>
      )}
      <details>
        <summary>More of this ranking</summary>
        <GenericReport value={named} />
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
