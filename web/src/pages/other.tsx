import type { ComponentChildren } from "preact";
import { usePage } from "../context";
import { FigureView, isLow } from "../figures/figure";
import { GenericReport, PlainNames } from "../parts/generic";
import { AuditReport } from "../reports/audit";
import { BencherReport, StudyReport } from "../reports/bencher";
import { CheckReport } from "../reports/check";
import { ComparisonReport } from "../reports/compare";
import { JudgeReport } from "../reports/judge";
import { JUDGE_NAMES } from "../reports/judge_names";
import { MigrationReport } from "../reports/migrate";
import { linkTo } from "../route";
import { membersOf, textOf } from "../source/report";
import type { Json, Overview } from "../source/types";
import { countOf, formatNumber } from "../text/format";
import { Shown, ShownWhole } from "../text/visible";

const HEADINGS: Record<string, string> = {
  audit: "Judge card",
  check: "Constraints kept",
  compare: "What changed",
  "meta bencher": "Rankings against people",
  "meta judge": "Judge against people",
  "meta study": "Study",
  migrate: "Another judge",
};

/** The commands whose figure comes next to the answer. */
const FIGURE_NEXT = new Set([
  "audit",
  "check",
  "compare",
  "meta bencher",
  "meta judge",
  "meta study",
]);

/** Characters from which an answer is no line to be read at a glance. */
const LONG = 160;

/** The result of a command that is no ranking: its answer, what limits that, and all else. */
export function OtherReport({
  overview,
  children: warnings,
}: {
  overview: Overview;
  children: ComponentChildren;
}) {
  const { route } = usePage();
  const { command, figures, report, title } = overview;
  const [first, ...others] = figures;
  // What limits the answer stands below the figure, where that comes next and is low.
  const isBelow = first !== undefined && isLow(first) && FIGURE_NEXT.has(command);
  // One of an earlier version has none.
  const answer = textOf(membersOf(membersOf(report)["answer"] ?? null)["text"]);
  return (
    <>
      <h1 class={answer === null ? undefined : "over"}>
        {HEADINGS[command] ?? <Shown text={overview.label ?? title} />}
      </h1>
      {answer !== null && <Answer text={`${answer}.`} />}
      {!isBelow && warnings}
      <Known overview={overview}>
        {first && <FigureView figure={first} />}
        {isBelow && warnings}
      </Known>
      {others.length > 0 && (
        <>
          <p class="no-print">
            <a href={linkTo(route, "figures")}>
              {countOf(others.length, "more figure", "more figures")}
            </a>
          </p>
          <div class="figures print-only">
            {others.map((figure, index) => (
              <FigureView key={index} figure={figure} />
            ))}
          </div>
        </>
      )}
      {report !== null && (
        <PlainNames.Provider value={command === "meta judge" ? JUDGE_NAMES : {}}>
          <Whole open={!(command in HEADINGS)} report={report} />
        </PlainNames.Provider>
      )}
    </>
  );
}

/** The answer; of a long one, its first words stand out. */
function Answer({ text }: { text: string }) {
  if (text.length <= LONG)
    return (
      <p class="answer headline">
        <ShownWhole text={text} />
      </p>
    );
  const head = headOf(text);
  return (
    <p class="answer headline long">
      {head && (
        <b>
          <ShownWhole text={head.slice(0, -2)} />
          <span class={/[;,] $/.test(head) ? "going-on" : ""}>{head.slice(-2)}</span>
        </b>
      )}
      <ShownWhole text={text.slice(head.length)} />
    </p>
  );
}

/** Ends of what can be read at a glance, the best first. */
const ENDS = [/[.;] /g, /: /g, /, /g];

/** The first words of a long answer that say something by themselves; a name alone does not. */
function headOf(text: string): string {
  for (const end of ENDS)
    for (const { index } of text.matchAll(end)) {
      const head = text.slice(0, index + 2);
      if (head.length <= LONG && head.trim().split(" ").length >= 4) return head;
    }
  return "";
}

function Known({
  overview,
  children,
}: {
  overview: Overview;
  children: ComponentChildren;
}): ComponentChildren {
  const { command, report } = overview;
  switch (command) {
    case "audit":
      return <AuditReport report={report}>{children}</AuditReport>;
    case "check":
      return <CheckReport report={report}>{children}</CheckReport>;
    case "compare":
      return <ComparisonReport report={report}>{children}</ComparisonReport>;
    case "meta bencher":
      return <BencherReport report={report}>{children}</BencherReport>;
    case "meta judge":
      return <JudgeReport report={report}>{children}</JudgeReport>;
    case "meta study":
      return <StudyReport report={report}>{children}</StudyReport>;
    case "migrate":
      return <MigrationReport report={report} />;
    default:
      return report === null ? <p class="lead">{sayWhenItComes(overview)}</p> : children;
  }
}

/** When a run that has no result will have one. */
function sayWhenItComes({ planned, judgments = 0, state, manifest, counts }: Overview): string {
  // These keep calls, and no judgments.
  const other = ["audit", "study", "try"].find((kind) => kind in manifest);
  if (other) return "The result comes at the end; none is kept yet.";
  if (state === "failed") return "There is no ranking: too few judgments came to a verdict.";
  if (typeof planned === "number" && judgments < planned)
    return `The ranking comes after the last of ${countOf(planned, "judgment", "judgments")}; ${formatNumber(judgments)} ${judgments === 1 ? "is" : "are"} in.`;
  if (state === "running" || state === "stopped")
    return "The ranking comes after the last judgment.";
  return counts.judgments
    ? "No result is kept here; the links above lead to the judgments."
    : "No result is kept here.";
}

function Whole({ open, report }: { open: boolean; report: Json }) {
  const { warnings: _, answer: __, ...rest } = membersOf(report);
  return (
    <details class="whole" open={open}>
      <summary>Everything in the report</summary>
      <GenericReport value={Array.isArray(report) ? report : rest} />
    </details>
  );
}
