import type { ComponentChildren } from "preact";
import { DataTable, type Column } from "../parts/datatable";
import { Notice } from "../parts/notice";
import { membersOf, numberOf, textOf } from "../source/report";
import type { Json } from "../source/types";
import { countOf, formatNumber, formatP, formatPercent } from "../text/format";
import { Shown } from "../text/visible";
import { countIn, levelOf, type Members, nameOf, rowsOf, sayMeasure } from "./measure";

/** `audit`: what moves the judge, probe by probe, what was found first; of several judges a part
 * for each. */
export function AuditReport({ report, children }: { report: Json; children: ComponentChildren }) {
  const members = membersOf(report);
  const audits = rowsOf(members["audits"]);
  if (!audits.length)
    return (
      <>
        <Headline members={members} />
        <Card members={members} Head="h2">
          {children}
        </Card>
      </>
    );
  return (
    <>
      {audits.map((audit, at) => (
        <section key={at}>
          <h2>
            <Shown text={nameOf(audit, "judge")} />
          </h2>
          <p class="lead">
            <Shown text={`${nameOf(membersOf(audit["answer"]), "text")}.`} />
          </p>
          <Card members={audit} Head="h3" />
        </section>
      ))}
      {children}
    </>
  );
}

/** What was found of one judge; the figure stands between that and all else. */
function Card({
  members,
  Head,
  children,
}: {
  members: Members;
  Head: "h2" | "h3";
  children?: ComponentChildren;
}) {
  const findings = rowsOf(members["findings"]);
  const biased = biasedOf(members);
  const probes = [...new Set(findings.map((finding) => nameOf(finding, "probe")))];
  return (
    <>
      {biased.length > 0 && (
        <>
          <Head>What was found</Head>
          <Findings rows={biased} level={levelOf(members)} probe />
          {biased.some(holdsUnbiased) && (
            <p class="note">
              An interval may hold the unbiased value although a bias was found: the test counts to
              which side each question moved, and the interval also allows for how far, so it is the
              wider.
            </p>
          )}
        </>
      )}
      {children}
      <Advice advice={membersOf(members["advice"])} Head={Head} />
      {probes.length > 0 && <Head>Every figure</Head>}
      {probes.map((probe, at) => {
        const all = findings.filter((finding) => nameOf(finding, "probe") === probe);
        const rows = all.filter((finding) => !isWithoutFailures(finding));
        const folded = all.length - rows.length;
        return (
          <details key={probe} open={at < 2}>
            <summary>
              <Shown text={probe} />{" "}
              <small>
                {countOf(all.length, "figure", "figures")}
                {sayFound(rows)}
              </small>
            </summary>
            {rows.length > 0 && <Findings rows={rows} level={levelOf(members)} />}
            {folded > 0 && (
              <p class="note">
                No failed judgments in {rows.length ? `${formatNumber(folded)} of ` : "any of "}
                {countOf(all.length, "count", "counts")} (no verdict, refusals; by protocol and
                category).
              </p>
            )}
          </details>
        );
      })}
    </>
  );
}

function biasedOf(members: Members): Members[] {
  return rowsOf(members["findings"]).filter((finding) => finding["biased"] === true);
}

function holdsUnbiased(finding: Members): boolean {
  const unbiased = numberOf(finding["unbiased"]);
  // A share with a one-sided test has nothing that is detectable: its test counts no sides.
  if (
    unbiased === null ||
    numberOf(finding["detectable"]) === null ||
    !Array.isArray(finding["ci"])
  )
    return false;
  const [low, high] = finding["ci"].map(numberOf);
  return (low ?? unbiased) <= unbiased && unbiased <= (high ?? unbiased);
}

/** Whether a figure counts failed judgments and there are none: one line says so of all of them. */
function isWithoutFailures(finding: Members): boolean {
  return nameOf(finding, "probe") === "failures" && numberOf(finding["value"]) === 0;
}

function sayFound(rows: Members[]): string {
  const found = rows.filter((row) => row["biased"] === true).length;
  return found ? `, ${countOf(found, "bias", "biases")}` : "";
}

/** What a report of an earlier version, which has no answer, was to begin with. */
function Headline({ members }: { members: Members }) {
  if (members["answer"] !== undefined || !Array.isArray(members["findings"])) return null;
  const tested = countIn(members, "tested");
  const biased = biasedOf(members).length;
  return (
    <>
      <p class="lead">
        <Shown text={nameOf(members, "judge")} />:{" "}
        {biased ? (
          <b>{countOf(biased, "bias was found", "biases were found")}</b>
        ) : (
          <b>no bias was found</b>
        )}{" "}
        in {tested} tests on {countIn(members, "items")} items.
      </p>
      {!biased && (
        <p class="note">
          Finding nothing does not mean that nothing is there: “detectable” is the smallest
          deviation that a test of this size would find.
        </p>
      )}
    </>
  );
}

/** Differences of shares are points of a hundred. */
function sayShare(finding: Members, name: string): string {
  const value = numberOf(finding[name]);
  return value === null ? "–" : formatPercent(value, 1);
}

function Findings({ rows, level, probe }: { rows: Members[]; level: string; probe?: boolean }) {
  const columns: Column<Members>[] = [
    {
      head: "Figure",
      cell: (row) => (
        <div title={textOf(row["estimand"]) ?? ""}>
          {probe && (
            <>
              <Shown text={nameOf(row, "probe")} />:{" "}
            </>
          )}
          <Shown text={nameOf(row, "name")} />
          {/* Who does not know the name reads what it is, of the figures that are tested. */}
          {numberOf(row["unbiased"]) !== null && (
            <div class="note">{textOf(row["estimand"]) ?? ""}</div>
          )}
        </div>
      ),
    },
    {
      head: "Protocol",
      cell: (row) => (
        <>
          <Shown text={nameOf(row, "protocol")} />
          {textOf(row["criterion"]) !== null && (
            <>
              , <Shown text={row["criterion"]} />
            </>
          )}
        </>
      ),
    },
    {
      head: `Value (${level} interval)`,
      num: true,
      cell: (row) => sayMeasure(row["value"], row["ci"], "share"),
    },
    { head: "Unbiased", num: true, cell: (row) => sayShare(row, "unbiased") },
    { head: "Adjusted p", num: true, cell: (row) => formatP(numberOf(row["adjusted_p"])) },
    { head: "Detectable", num: true, cell: (row) => sayShare(row, "detectable") },
    { head: "Items", num: true, cell: (row) => countIn(row, "items") },
    { head: "Failed", num: true, cell: (row) => countIn(row, "failed") },
  ];
  return (
    <DataTable
      label="Figures of the audit"
      rows={rows}
      columns={columns}
      marked={(row) => row["biased"] === true}
    />
  );
}

function Advice({ advice, Head }: { advice: Members; Head: "h2" | "h3" }) {
  const candidates = rowsOf(advice["candidates"]);
  if (!candidates.length) return null;
  const chosen = textOf(advice["protocol"]);
  return (
    <>
      <Head>Which protocol to use</Head>
      {chosen === null ? (
        <Notice kind="warning">None of these protocols can be recommended.</Notice>
      ) : (
        <p>
          Use{" "}
          <b>
            <Shown text={chosen} />
          </b>
          .{" "}
          <details>
            <summary>How this was chosen</summary>
            <Shown text={advice["rule"] ?? ""} />
          </details>
        </p>
      )}
      <DataTable
        label="Protocols"
        rows={candidates}
        marked={(row) => row["protocol"] === chosen}
        columns={[
          { head: "Protocol", cell: (row) => <Shown text={nameOf(row, "protocol")} /> },
          {
            head: "Moved by what must not matter",
            num: true,
            cell: (row) => sayShare(row, "moved"),
          },
          { head: "Agreement with people", num: true, cell: (row) => sayShare(row, "accuracy") },
          { head: "Failures", num: true, cell: (row) => sayShare(row, "failures") },
          {
            head: "Tokens a judgment",
            num: true,
            cell: (row) => formatNumber(numberOf(row["tokens"])),
          },
          { head: "Left out because", cell: (row) => <Shown text={textOf(row["out"]) ?? ""} /> },
        ]}
      />
    </>
  );
}
