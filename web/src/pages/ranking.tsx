import type { ComponentChildren } from "preact";
import { usePage } from "../context";
import { Drawing, FigureView } from "../figures/figure";
import { GenericReport } from "../parts/generic";
import { Notice } from "../parts/notice";
import { linkTo } from "../route";
import { groupTied, listOf, membersOf, type RankingReport, readRanking, type RankingRow, areApart, textOf } from "../source/report";
import type { DotsFigure, Json, Overview } from "../source/types";
import { countOf, formatNumber, formatPercent, formatScore } from "../text/format";
import { plainText, Shown } from "../text/visible";

export function RankingPage() {
  const { overview } = usePage();
  const report = readRanking(overview.report);
  return (
    <>
      <Warnings overview={overview} />
      {report ? <Ranking report={report} /> : <Other overview={overview} />}
      <Categories report={overview.report} />
      <Basis overview={overview} />
      {report && overview.figures.length > 0 && (
        <section class="print-only"><h2>Figures</h2>{overview.figures.map((figure, index) => <FigureView key={index} figure={figure} />)}</section>
      )}
    </>
  );
}

function Warnings({ overview }: { overview: Overview }) {
  const warnings = listOf(membersOf(overview.report)["warnings"]).map((warning) => textOf(warning) ?? JSON.stringify(warning));
  const sample = overview.sample;
  if (!warnings.length && !sample) return null;
  return (
    <section aria-label="Warnings" class="warnings">
      {warnings.map((warning, index) => <Notice key={index} kind="warning"><Shown text={warning} /></Notice>)}
      {sample && <Notice kind="note"><Shown text={`This file holds ${formatNumber(sample.kept)} of ${formatNumber(sample.of)} judgments: ${sample.how}`} /></Notice>}
    </section>
  );
}

function Ranking({ report }: { report: RankingReport }) {
  return (
    <>
      <h1>Ranking</h1>
      <Headline report={report} />
      <div class="ranking-figures">
        <Drawing figure={scoreFigure(report)} />
        <RankFigure report={report} />
      </div>
      <RankingTable report={report} />
      <TiedNote report={report} />
    </>
  );
}

function Headline({ report }: { report: RankingReport }) {
  const [first, second] = report.rows;
  if (!first) return <p class="lead">No system has a score.</p>;
  if (!second) return <p class="lead"><Shown text={first.system} /> is the only system.</p>;
  const level = formatPercent(report.level);
  const found = report.differences.find(({ a, b }) => a === first.system && b === second.system);
  if (!areApart(report, first, second)) {
    return <p class="lead"><b><Shown text={first.system} /></b> and <b><Shown text={second.system} /></b> share the top: this run cannot tell them apart at the {level} level.</p>;
  }
  const by = (first.score ?? 0) - (second.score ?? 0);
  return (
    <p class="lead">
      <b><Shown text={first.system} /></b> is ahead of <b><Shown text={second.system} /></b> by {formatScore(found?.difference ?? by)}
      {found?.ci ? ` (${level} interval ${formatScore(found.ci[0])} to ${formatScore(found.ci[1])})` : ""} {plainText(report.unit.split(" (")[0])}.
    </p>
  );
}

function scoreFigure(report: RankingReport): DotsFigure {
  const level = formatPercent(report.level);
  return {
    kind: "dots",
    title: "Scores with intervals",
    axis: { label: report.unit },
    rows: report.rows.map(({ system, score, ci }) => ({
      label: system,
      group: null,
      value: score,
      low: ci?.[0] ?? null,
      high: ci?.[1] ?? null,
      text: `${formatScore(score)}${ci ? `, ${level} interval ${formatScore(ci[0])} to ${formatScore(ci[1])}` : ""}`,
    })),
  };
}

/** Rank intervals, and at the right a bar over those that cannot be told apart. */
function RankFigure({ report }: { report: RankingReport }) {
  const count = Math.max(1, report.rows.length);
  const groups = groupTied(report);
  const [width, line, top] = [Math.min(260, 40 + 26 * count), 30, 22];
  const x = (rank: number) => 16 + ((rank - 1) / Math.max(1, count - 1)) * (width - 32);
  const labels = report.rows.map((_, index) => index + 1).filter((rank) => count <= 8 || rank === 1 || rank === count);
  return (
    <svg class="ranks" width={width + 16 * groups.length + 12} height={top + line * count + 30} role="img" aria-label="Rank intervals, and bars that join systems which cannot be told apart; the table has the numbers">
      <text x={0} y={14}>Rank intervals</text>
      {labels.map((rank) => <text key={rank} x={x(rank)} y={top + line * count + 18} text-anchor="middle">{rank}</text>)}
      {report.rows.map((row, index) => (
        <g key={index}>
          <line x1={10} x2={width - 10} y1={top + line * (index + 0.5)} y2={top + line * (index + 0.5)} stroke="var(--line)" />
          {row.rankCi && <line x1={x(row.rankCi[0])} x2={x(row.rankCi[1])} y1={top + line * (index + 0.5)} y2={top + line * (index + 0.5)} stroke="var(--c0)" stroke-width="7" stroke-opacity="0.4" stroke-linecap="round" />}
          {row.rank !== null && <circle cx={x(row.rank)} cy={top + line * (index + 0.5)} r="4.5" fill="var(--c0)" />}
        </g>
      ))}
      {groups.map(([from, to], index) => <line key={index} x1={width + 10 + 16 * index} x2={width + 10 + 16 * index} y1={top + line * from + 6} y2={top + line * (to + 1) - 6} stroke="var(--c1)" stroke-width="5" stroke-linecap="round" />)}
    </svg>
  );
}

function RankingTable({ report }: { report: RankingReport }) {
  const { route } = usePage();
  const groups = groupTied(report);
  const letters = (index: number) => groups.flatMap(([from, to], group) => (index >= from && index <= to ? [String.fromCharCode(65 + (group % 26))] : [])).join(" ");
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Ranking as a table">
      <table class="ranking">
        <thead><tr><th scope="col" class="num">Rank</th><th scope="col">System</th><th scope="col" class="num">Score</th><th scope="col">{formatPercent(report.level)} interval</th><th scope="col">Rank interval</th><th scope="col" class="num">Judgments</th><th scope="col">Not told apart</th></tr></thead>
        <tbody>
          {report.rows.map((row, index) => (
            <tr key={index}>
              <td class="num">{formatNumber(row.rank)}</td>
              <th scope="row"><a href={linkTo(route, "judgments", { system: row.system })}><Shown text={row.system} /></a></th>
              <td class="num">{formatScore(row.score)}</td>
              <td>{intervalText(row)}</td>
              <td>{row.rankCi ? `${row.rankCi[0]} to ${row.rankCi[1]}` : "–"}</td>
              <td class="num">{formatNumber(row.n)}</td>
              <td class="letters">{letters(index)}{row.note && <small><Shown text={row.note} /></small>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function intervalText(row: RankingRow): string {
  return row.ci ? `${formatScore(row.ci[0])} to ${formatScore(row.ci[1])}` : "–";
}

function TiedNote({ report }: { report: RankingReport }) {
  const groups = groupTied(report);
  if (report.rows.length < 2) return null;
  if (!groups.length) return <p class="note">Every system can be told apart from every other at the {formatPercent(report.level)} level.</p>;
  return <p class="note">Systems that share a bar or a letter cannot be told apart by this run: their order may be noise. More items would narrow the intervals.</p>;
}

function Other({ overview }: { overview: Overview }) {
  return (
    <>
      <h1><Shown text={overview.title} /></h1>
      <Finding report={overview.report} />
      {overview.figures.length > 0 && <div class="figures">{overview.figures.map((figure, index) => <FigureView key={index} figure={figure} />)}</div>}
      <GenericReport value={overview.report} />
    </>
  );
}

/** The answer of an audit or a meta-evaluation in a sentence. */
function Finding({ report }: { report: Json }) {
  const members = membersOf(report);
  if (typeof members["biased"] === "number") {
    return <p class="lead">{members["biased"] === 0 ? "No bias was found" : `${countOf(members["biased"], "bias was found", "biases were found")}`} in {countOf(Number(members["tested"] ?? 0), "tested figure", "tested figures")}.</p>;
  }
  if (typeof members["accuracy"] === "number") {
    const ci = listOf(members["accuracy_ci"]);
    return <p class="lead">The judge agrees with people in {formatPercent(members["accuracy"], 1)} of {formatNumber(Number(members["n"]))} judgments{ci.length === 2 ? ` (interval ${formatPercent(Number(ci[0]))} to ${formatPercent(Number(ci[1]))})` : ""}.</p>;
  }
  return null;
}

function Categories({ report }: { report: Json }) {
  const slices = readSlices(report);
  if (!slices.length) return null;
  return (
    <section>
      <h2>By category</h2>
      {slices.map(({ name, ranking }, index) => (
        <details key={index} open={slices.length <= 3}>
          <summary><Shown text={name} />{ranking.rows[0] && <small> – first: <Shown text={ranking.rows[0].system} /></small>}</summary>
          <Drawing figure={scoreFigure(ranking)} />
          <RankingTable report={ranking} />
        </details>
      ))}
    </section>
  );
}

function readSlices(report: Json): { name: string; ranking: RankingReport }[] {
  const members = membersOf(report);
  const by = members["slices"] ?? members["by"];
  const listed = Array.isArray(by) ? by : listOf(membersOf(by)["slices"] ?? membersOf(by)["groups"]);
  return listed.flatMap((value) => {
    const slice = membersOf(value);
    const ranking = readRanking({ ci: members["ci"] ?? null, unit: members["unit"] ?? null, ...membersOf(slice["ranking"]), ...(Array.isArray(slice["ranking"]) ? { ranking: slice["ranking"] } : {}) });
    const name = textOf(slice["value"]) ?? textOf(slice["name"]) ?? textOf(slice["category"]);
    return ranking && name !== null ? [{ name, ranking }] : [];
  });
}

function Basis({ overview }: { overview: Overview }) {
  const { counts } = overview;
  const { route } = usePage();
  const failed = Object.entries(counts.failures);
  const link = (query: Record<string, string>, text: ComponentChildren) => <a href={linkTo(route, "judgments", query)}>{text}</a>;
  return (
    <section class="basis">
      <h2>What it rests on</h2>
      <ul>
        <li>{countOf(counts.verdicts, "verdict", "verdicts")} of {countOf(counts.judgments, "judgment", "judgments")} on {countOf(overview.items, "item", "items")}, by {countOf(counts.calls, "call", "calls")}</li>
        {counts.rows > 0 && <li>{link({ flipped: "1" }, countOf(counts.flipped, "pair flips", "pairs flip"))} with the order in which the responses are shown, of {formatNumber(counts.rows)}</li>}
        {counts.split > 0 && <li>{link({ split: "1" }, countOf(counts.split, "split vote", "split votes"))} within a panel or between samples</li>}
        {counts.people.compared > 0 && <li>people disagree with the judge on {link({ people: "disagree" }, formatNumber(counts.people.disagree))} of {formatNumber(counts.people.compared)}</li>}
        {failed.map(([kind, count], index) => <li key={index}>{link({ failure: kind }, <>{formatNumber(count)} without a verdict: <Shown text={kind} /></>)}</li>)}
      </ul>
      <details><summary>Settings of the run</summary><GenericReport value={overview.manifest as Json} /></details>
    </section>
  );
}
