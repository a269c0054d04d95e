import type { ComponentChildren } from "preact";
import { DataTable, type Column } from "../parts/datatable";
import { Notice } from "../parts/notice";
import { listOf, membersOf, numberOf, textOf } from "../source/report";
import { nameSlice } from "../source/slices";
import type { Json } from "../source/types";
import { countOf, formatNumber, formatP, formatPercent } from "../text/format";
import { plainText, Shown } from "../text/visible";
import { countIn, levelOf, type Members, nameOf, rowsOf, sayMeasure, sayPoints } from "./measure";

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
      <Judges audits={audits} />
      {children}
      {audits.map((audit, at) => (
        <section key={at}>
          <h2>
            <Shown text={nameOf(audit, "judge")} />
          </h2>
          <p class="lead">
            <Shown text={`${sayOfHeaded(audit)}.`} />
          </p>
          {/* Rewrites stand below, by all judges. */}
          <Card members={{ ...audit, flips: null, ties: null }} Head="h3" />
        </section>
      ))}
      <Rewrites members={members} Head="h2" />
    </>
  );
}

/** The answer of one of several judges below a heading that names it. */
function sayOfHeaded(audit: Members): string {
  const answer = nameOf(membersOf(audit["answer"]), "text");
  const named = `${nameOf(audit, "judge")}: `;
  if (!answer.startsWith(named)) return answer;
  const rest = answer.slice(named.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Each judge with what was found, and the protocol to use it with. */
function Judges({ audits }: { audits: Members[] }) {
  const chosen = (audit: Members) => {
    const advice = membersOf(audit["advice"]);
    return rowsOf(advice["candidates"]).find(({ protocol }) => protocol === advice["protocol"]);
  };
  const sayChosen = (name: string) => (audit: Members) => sayShare(chosen(audit) ?? {}, name);
  return (
    <DataTable
      label="Judges"
      rows={audits}
      columns={[
        { head: "Judge", cell: (audit) => <Shown text={nameOf(audit, "judge")} /> },
        {
          head: "Biases found",
          num: true,
          cell: (audit) =>
            `${formatNumber(biasedOf(audit).length)} of ${countOf(numberOf(audit["tested"]) ?? 0, "test", "tests")}`,
        },
        {
          head: "Protocol to use",
          cell: (audit) => (
            <Shown text={chosen(audit)?.["protocol"] ?? "none can be recommended"} />
          ),
        },
        { head: "Moved by what must not matter", num: true, cell: sayChosen("moved") },
        { head: "Agreement with people", num: true, cell: sayChosen("accuracy") },
      ]}
    />
  );
}

/** What was found of one judge, below the figure. */
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
      {children}
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
      <Advice advice={membersOf(members["advice"])} Head={Head} />
      <Rewrites members={members} Head={Head} />
      <Slices slices={membersOf(members["slices"])} level={levelOf(members)} Head={Head} />
      {probes.length > 0 && (
        <>
          <Head>Every figure</Head>
          <p class="note">
            Unbiased: what a judge without the defect has; where there is none, nothing is tested.
            Adjusted p: over all tests of this audit. Detectable: how far from unbiased a judge must
            be to be found four times in five.
          </p>
        </>
      )}
      {probes.map((probe, at) => {
        const all = findings.filter((finding) => nameOf(finding, "probe") === probe);
        const rows = all.filter((finding) => !isWithoutFailures(finding));
        const folded = all.length - rows.length;
        return (
          <details key={probe} open={at === 0 && Head === "h2"}>
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

/** How often rewriting turned the verdict, and how often a response and its own rewrite were called
 * equal: by rewrite and protocol, and by judge where there are several. */
function Rewrites({ members, Head }: { members: Members; Head: "h2" | "h3" }) {
  return (
    <>
      <Rates
        table={membersOf(members["flips"])}
        name="flips"
        head={<Head>What rewriting turns</Head>}
        about="How often the response that was preferred less is preferred once it is rewritten."
      />
      <Rates
        table={membersOf(members["ties"])}
        name="ties"
        head={<Head>Ties at equal quality</Head>}
        about="How often a response and itself, rewritten, are called equal."
      />
    </>
  );
}

function Rates({
  table,
  name,
  head,
  about,
}: {
  table: Members;
  name: "flips" | "ties";
  head: ComponentChildren;
  about: string;
}) {
  const rows = rowsOf(table["rows"]);
  if (!rows.length) return null;
  const several = new Set(rows.map(({ judge }) => judge)).size > 1;
  const columns: Column<Members>[] = [
    {
      head: "Rewrite",
      cell: (row) => <Shown text={textOf(row["distractor"]) ?? "average of rewrites"} />,
    },
  ];
  if (several)
    columns.push({
      head: "Judge",
      cell: (row) => <Shown text={textOf(row["judge"]) ?? "average of judges"} />,
    });
  if (rows.some(({ turn }) => typeof turn === "number"))
    columns.push({
      head: "Turn",
      num: true,
      cell: (row) => (numberOf(row["turn"]) === null ? "all" : countIn(row, "turn")),
    });
  for (const [at, protocol] of listOf(table["protocols"]).entries())
    columns.push({
      head: plainText(textOf(protocol) ?? "–"),
      num: true,
      cell: (row) => {
        const rate = membersOf(listOf(row[name])[at]);
        const ends = rate["ci"] ?? rate["range"] ?? null;
        const value = sayMeasure(rate["value"], ends, "share");
        return ends === null && value !== "–" ? `${value} (no interval)` : value;
      },
    });
  const rewrites = [...new Set(rows.map(({ distractor }) => distractor))];
  return (
    <>
      {head}
      <p class="note">
        {about}
        {several &&
          " In brackets are intervals; of an average of judges, the lowest and the highest."}
      </p>
      <DataTable
        label={name === "flips" ? "Flips by rewriting" : "Ties at equal quality"}
        rows={rewrites.flatMap((rewrite) =>
          rows.filter(({ distractor }) => distractor === rewrite),
        )}
        columns={columns}
      />
    </>
  );
}

/** How many slices stand beside each other in one table. */
const BESIDE = 4;

/** The same figures by the value of a field: those that are tested, and how much failed. */
function Slices({ slices, level, Head }: { slices: Members; level: string; Head: "h2" | "h3" }) {
  const values = rowsOf(slices["values"]);
  if (!values.length) return null;
  const all = values.flatMap((slice) => rowsOf(slice["findings"]));
  const tested = all.filter((finding) => numberOf(finding["p"]) !== null);
  const shown = tested.length ? tested : all.filter(({ value }) => numberOf(value) !== null);
  const figures = [...new Map(shown.map((finding) => [keyOf(finding), finding])).values()];
  const groups = values.flatMap((_, at) =>
    at % BESIDE ? [] : [values.slice(at, at + BESIDE).map(readSlice)],
  );
  const small = values.filter((slice) => slice["too_small"] === true);
  const biased = values.flatMap((slice) =>
    biasedOf(slice).map((finding): Members => ({ ...finding, slice: slice["value"] ?? null })),
  );
  const answer = textOf(membersOf(slices["answer"])["text"]);
  return (
    <>
      <Head>
        By <Shown text={nameOf(slices, "field")} />
      </Head>
      {answer !== null && (
        <p class="answer">
          <Shown text={`${answer}.`} />
        </p>
      )}
      {biased.length > 0 && <Findings label="Biases by slice" rows={biased} level={level} probe />}
      {small.length > 0 && (
        <p class="note">
          So few questions that only the largest defects can be found:{" "}
          <Shown text={small.map((slice) => nameSlice(nameOf(slice, "value"))).join(", ")} />.
        </p>
      )}
      <details open={groups.length === 1}>
        <summary>
          {countOf(figures.length, "figure", "figures")} by <Shown text={nameOf(slices, "field")} />
        </summary>
        {groups.map((group, at) => (
          <DataTable
            key={at}
            label="Figures by slice"
            rows={figures}
            marked={(row) => group.some(({ found }) => found.get(keyOf(row))?.["biased"] === true)}
            columns={[
              {
                head: "Figure",
                cell: (row) => (
                  <>
                    <Shown text={`${nameOf(row, "probe")}: ${nameOf(row, "name")}`} />
                    <div class="note">{sayProtocol(row)}</div>
                  </>
                ),
              },
              ...group.map(({ head, found }) => ({
                head,
                num: true,
                cell: (row: Members) => saySliced(found.get(keyOf(row)) ?? {}),
              })),
            ]}
          />
        ))}
      </details>
    </>
  );
}

/** A figure of a slice; one of no items is none. A star marks a bias. */
function saySliced(finding: Members): string {
  if (!numberOf(finding["items"])) return "–";
  const star = finding["biased"] === true ? " *" : "";
  return sayMeasure(finding["value"], finding["ci"], "share") + star;
}

function readSlice(slice: Members) {
  const size = countOf(numberOf(slice["items"]) ?? 0, "item", "items");
  return {
    head: `${plainText(nameSlice(nameOf(slice, "value")))} (${size})`,
    found: new Map(rowsOf(slice["findings"]).map((finding) => [keyOf(finding), finding])),
  };
}

/** What a figure of one slice has in common with that of another. */
function keyOf(finding: Members): string {
  return JSON.stringify([
    finding["probe"],
    finding["name"],
    finding["protocol"],
    finding["criterion"],
  ]);
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

function sayProtocol(row: Members): ComponentChildren {
  return (
    <>
      <Shown text={nameOf(row, "protocol")} />
      {textOf(row["criterion"]) !== null && (
        <>
          , <Shown text={row["criterion"]} />
        </>
      )}
    </>
  );
}

function Findings({
  label = "Figures of the audit",
  rows,
  level,
  probe,
}: {
  label?: string;
  rows: Members[];
  level: string;
  probe?: boolean;
}) {
  const columns: Column<Members>[] = [
    {
      head: "Figure",
      cell: (row) => (
        <div title={textOf(row["estimand"]) ?? ""}>
          {row["slice"] !== undefined && (
            <>
              <b>
                <Shown text={nameSlice(nameOf(row, "slice"))} />
              </b>
              ,{" "}
            </>
          )}
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
    { head: "Protocol", cell: sayProtocol },
    {
      head: `Value (${level} interval)`,
      num: true,
      cell: (row) => sayMeasure(row["value"], row["ci"], "share"),
    },
    { head: "Unbiased", num: true, cell: (row) => sayShare(row, "unbiased") },
    { head: "Adjusted p", num: true, cell: (row) => formatP(numberOf(row["adjusted_p"])) },
    { head: "Detectable, points", num: true, cell: (row) => sayPoints(row["detectable"], null) },
    { head: "Items", num: true, cell: (row) => countIn(row, "items") },
    { head: "Failed", num: true, cell: (row) => countIn(row, "failed") },
  ];
  return (
    <DataTable
      label={label}
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
  const taken = candidates.find((row) => row["protocol"] === chosen);
  const biases = listOf(taken?.["biases"]).join("; ");
  const known = (name: string, column: Column<Members>) =>
    candidates.some((row) => (row[name] ?? null) !== null) ? [column] : [];
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
          . {biases ? <Shown text={`Mind what was found under it, too: ${biases}.`} /> : null}
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
          // Without people's labels there is no agreement.
          ...known("accuracy", {
            head: "Agreement with people",
            num: true,
            cell: (row) => sayShare(row, "accuracy"),
          }),
          { head: "Failures", num: true, cell: (row) => sayShare(row, "failures") },
          {
            head: "Tokens a comparison",
            num: true,
            cell: (row) => formatNumber(numberOf(row["tokens"])),
          },
          ...known("out", {
            head: "Left out because",
            cell: (row) => <Shown text={textOf(row["out"]) ?? "–"} />,
          }),
        ]}
      />
    </>
  );
}
