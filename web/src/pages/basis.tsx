import type { ComponentChildren } from "preact";
import { usePage } from "../context";
import { GenericReport } from "../parts/generic";
import { sayObject } from "../reports/measure";
import { linkTo } from "../route";
import { listOf, membersOf, numberOf, textOf } from "../source/report";
import type { Json, Overview } from "../source/types";
import { countOf, formatNumber, formatPercent, formatUsd } from "../text/format";
import { Shown } from "../text/visible";

/** What a result rests on, and what there is to doubt in it. */
export function Basis({ overview }: { overview: Overview }) {
  const { counts, manifest } = overview;
  const report = membersOf(overview.report);
  if (!counts.judgments && !Object.keys(manifest).length && !report["coverage"]) return null;
  return (
    <section class="basis">
      <h2>What it rests on</h2>
      <ul>
        <Asked report={report} />
        <Labelled report={report} />
        <Controlled report={report} />
        <Coverage overview={overview} report={report} />
        <Noise report={report} />
        <Doubts overview={overview} report={report} />
        <Answered overview={overview} />
        <Spent report={report} />
      </ul>
      {Object.keys(manifest).length > 0 && (
        <details>
          <summary>Settings of the run</summary>
          <GenericReport value={manifest as Json} />
        </details>
      )}
    </section>
  );
}

type Members = { [key: string]: Json };

function Asked({ report }: { report: Members }) {
  const [judge, protocol] = [textOf(report["judge"]), textOf(report["protocol"])];
  if (judge === null || protocol === null || judge === "recorded") return null;
  return (
    <li>
      judge{" "}
      <b>
        <Shown text={judge} />
      </b>
      , protocol{" "}
      <b>
        <Shown text={protocol} />
      </b>
      {textOf(report["design"]) !== null && (
        <>
          , <Shown text={report["design"]} />
        </>
      )}
    </li>
  );
}

/** The labels of people that correct the judge. */
function Labelled({ report }: { report: Members }) {
  const { matched, labelled_share: share } = membersOf(report["labels"]);
  const labels = numberOf(matched);
  if (labels === null) return null;
  return (
    <li>
      the judge's verdicts, corrected by <b>{countOf(labels, "label", "labels")}</b> of people
      {numberOf(share) !== null && `, on ${formatPercent(numberOf(share))} of what it judged`}
    </li>
  );
}

/** What the scores do not owe anything to. */
function Controlled({ report }: { report: Members }) {
  const names = listOf(report["style"]).map((effect) => textOf(membersOf(effect)["covariate"]));
  if (!names.length) return null;
  return (
    <li>
      scores without the effect of{" "}
      <b>
        <Shown text={names.join(", ")} />
      </b>
    </li>
  );
}

function Coverage({ overview, report }: { overview: Overview; report: Members }) {
  const { counts, items } = overview;
  const { verdicts, trials } = membersOf(report["coverage"]);
  // A ranking that was made before the last judgments does not rest on them.
  if (counts.judgments && (typeof trials !== "number" || trials === counts.judgments))
    return (
      <li>
        {countOf(counts.verdicts, "verdict", "verdicts")} of{" "}
        {countOf(counts.judgments, "judgment", "judgments")} on {countOf(items, "item", "items")},
        by {countOf(counts.calls, "call", "calls")}
      </li>
    );
  if (counts.judgments && typeof verdicts === "number" && typeof trials === "number")
    return (
      <li>
        {countOf(verdicts, "verdict", "verdicts")} of {countOf(trials, "judgment", "judgments")}, of{" "}
        {formatNumber(counts.judgments)} that the run has
      </li>
    );
  if (counts.calls) return <li>{countOf(counts.calls, "call", "calls")}</li>;
  if (typeof verdicts !== "number" || typeof trials !== "number") return null;
  return (
    <li>
      {formatNumber(verdicts)} of {countOf(trials, "comparison", "comparisons")} with a verdict
    </li>
  );
}

/** The models that answered for the judges, where the servers say so: worth a line where a name hides one. */
function Answered({ overview }: { overview: Overview }) {
  const answered = overview.answered_by ?? [];
  if (!answered.length) return null;
  // Some servers name another configuration in every reply.
  const [named, others] = [answered.slice(0, 5), answered.slice(5)];
  const names = named.map(({ judge, model, fingerprint, calls }) => {
    const by = fingerprint ? `${model} (${fingerprint})` : model;
    const whose = overview.judges.length > 1 ? ` for ${judge}` : "";
    return `${by}${whose}: ${countOf(calls, "call", "calls")}`;
  });
  if (others.length) {
    const calls = others.reduce((sum, one) => sum + one.calls, 0);
    names.push(`${others.length} more: ${countOf(calls, "call", "calls")}`);
  }
  return (
    <li>
      answered by <Shown text={names.join(", ")} />
    </li>
  );
}

/** By how much two identical systems would seem to differ. */
function Noise({ report }: { report: Members }) {
  const { points, unit, level, items } = membersOf(report["noise"]);
  const size = numberOf(points);
  if (size === null || typeof unit !== "string") return null;
  return (
    <li>
      two identical systems would seem to differ by up to {formatNumber(size, size < 1 ? 3 : 1)}{" "}
      <Shown text={unit} /> ({formatPercent(numberOf(level) ?? 0.95)}) on{" "}
      {countOf(numberOf(items) ?? 0, "item", "items")}, judged as here
    </li>
  );
}

function Doubts({ overview, report }: { overview: Overview; report: Members }) {
  const { counts, matrix } = overview;
  const consistency = membersOf(report["consistency"]);
  const first = membersOf(report["first_slot"]);
  return (
    <>
      {numberOf(consistency["value"]) !== null && (
        <li>
          the same outcome in both orders on {sayObject(consistency, "share")} of{" "}
          {formatNumber(numberOf(consistency["n"]))} pairs
        </li>
      )}
      {numberOf(first["value"]) !== null && (
        <li>
          the response that is shown first gets {sayObject(first, "share")}; an unbiased judge gives
          it 50 %
        </li>
      )}
      {matrix.length > 0 && (
        <li>
          <Find query={{ flipped: "1" }}>
            {countOf(counts.flipped, "pair flips", "pairs flip")}
          </Find>{" "}
          with the order in which the responses are shown
        </li>
      )}
      {counts.split > 0 && (
        <li>
          <Find query={{ split: "1" }}>{countOf(counts.split, "split vote", "split votes")}</Find>{" "}
          within a panel or between samples
        </li>
      )}
      {counts.people.compared > 0 && (
        <li>
          people disagree with the judge on{" "}
          <Find query={{ people: "disagree" }}>{formatNumber(counts.people.disagree)}</Find> of{" "}
          {formatNumber(counts.people.compared)}
        </li>
      )}
      {Object.entries(counts.failures).map(([kind, count]) => (
        <li key={kind}>
          <Find query={{ failure: kind }}>
            {formatNumber(count)} without a verdict: <Shown text={kind} />
          </Find>
        </li>
      ))}
    </>
  );
}

function Find({ query, children }: { query: Record<string, string>; children: ComponentChildren }) {
  const { route } = usePage();
  return <a href={linkTo(route, "judgments", query)}>{children}</a>;
}

function Spent({ report }: { report: Members }) {
  const usage = membersOf(report["usage"]);
  const [prompt, reply] = [numberOf(usage["prompt_tokens"]), numberOf(usage["completion_tokens"])];
  if (!prompt) return null;
  const judges = listOf(usage["judges"]).length;
  return (
    <li>
      {formatNumber(prompt)} tokens of prompts and {formatNumber(reply)} of replies
      {judges > 1 && ` by ${judges} judges`}
      {numberOf(usage["cost_usd"]) !== null && `, ${formatUsd(numberOf(usage["cost_usd"]))}`}
    </li>
  );
}
