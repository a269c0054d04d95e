import type { ComponentChildren } from "preact";
import { FigureView } from "../figures/figure";
import { DataTable } from "../parts/datatable";
import { Deviations, OnSlice, SliceHead, useSlice } from "../parts/slices";
import { listOf, membersOf, numberOf } from "../source/report";
import type { DotsFigure, Json } from "../source/types";
import { formatNumber, formatP, formatPercent } from "../text/format";
import { Shown } from "../text/visible";
import { countIn, levelOf, type Members, nameOf, rowsOf, sayNamed } from "./measure";

/** `check`: verifiable constraints, system by system and kind by kind, of all items or of a
 * slice. */
export function CheckReport({ report, children }: { report: Json; children: ComponentChildren }) {
  const { sliced, slice } = useSlice(report);
  const level = levelOf(membersOf(report));
  const systems = rowsOf((slice?.members ?? membersOf(report))["systems"]).sort(
    (one, other) => (numberOf(other["prompt_strict"]) ?? 0) - (numberOf(one["prompt_strict"]) ?? 0),
  );
  return (
    <>
      <SliceHead sliced={sliced} slice={slice} />
      {/* The page's answer is about all items; reports of earlier versions have none. */}
      {(slice || !membersOf(report)["answer"]) && (
        <Headline
          best={systems[0]}
          on={sliced && slice && <OnSlice sliced={sliced} slice={slice} />}
        />
      )}
      {slice ? systems.length > 0 && <FigureView figure={keptFigure(systems, level)} /> : children}
      {systems.length > 0 && <Systems systems={systems} level={level} />}
      {!slice && <Leads report={report} best={nameOf(systems[0] ?? {}, "system")} level={level} />}
      <h2>By kind of constraint</h2>
      <Kinds systems={systems} />
      <Deviations sliced={sliced} />
    </>
  );
}

function Headline({ best, on }: { best: Members | undefined; on: ComponentChildren }) {
  if (!best)
    return (
      <p class="lead">
        {on}
        {on ? "no" : "No"} system was checked.
      </p>
    );
  return (
    <p class="lead">
      {on}
      <b>
        <Shown text={nameOf(best, "system")} />
      </b>{" "}
      keeps every constraint of a prompt most often: on{" "}
      <b>{sayNamed(best, "prompt_strict", "share")}</b> of {countIn(best, "prompts")} prompts.
    </p>
  );
}

/** The shares of a slice, as the report's own figure draws those of all items. */
function keptFigure(systems: Members[], level: string): DotsFigure {
  const groups = [
    ["prompt_strict", "prompts, strict"],
    ["prompt_loose", "prompts, loose"],
    ["instruction_strict", "instructions, strict"],
    ["instruction_loose", "instructions, loose"],
  ] as const;
  const row = (system: Members, name: string, group: string) => {
    const [low, high] = listOf(system[`${name}_ci`]).map(numberOf);
    return {
      label: nameOf(system, "system"),
      group,
      value: numberOf(system[name]),
      low: low ?? null,
      high: high ?? null,
      text: sayNamed(system, name, "share"),
    };
  };
  return {
    kind: "dots",
    title: "Constraints that are kept",
    note: `points and ${level} intervals; loose: in one of eight forms of the response`,
    axis: { label: "share" },
    rows: systems.flatMap((system) => groups.map(([name, group]) => row(system, name, group))),
  };
}

function Systems({ systems, level }: { systems: Members[]; level: string }) {
  return (
    <DataTable
      label="Systems"
      rows={systems}
      columns={[
        { head: "System", cell: (row) => <Shown text={nameOf(row, "system")} /> },
        { head: "Prompts", num: true, cell: (row) => countIn(row, "prompts") },
        {
          head: `Prompts kept, strict (${level} interval)`,
          num: true,
          cell: (row) => sayNamed(row, "prompt_strict", "share"),
        },
        {
          head: "Prompts kept, loose",
          num: true,
          cell: (row) => sayNamed(row, "prompt_loose", "share"),
        },
        { head: "Constraints", num: true, cell: (row) => countIn(row, "instructions") },
        {
          head: "Constraints kept, strict",
          num: true,
          cell: (row) => sayNamed(row, "instruction_strict", "share"),
        },
        {
          head: "Constraints kept, loose",
          num: true,
          cell: (row) => sayNamed(row, "instruction_loose", "share"),
        },
      ]}
    />
  );
}

/** How far the best system is ahead of each other, whichever way the report names the two. */
function Leads({ report, best, level }: { report: Json; best: string; level: string }) {
  const rows = rowsOf(membersOf(report)["differences"]).flatMap((row) => {
    const [low, high] = listOf(row["ci"]).map(numberOf);
    const [a, b, difference] = [nameOf(row, "a"), nameOf(row, "b"), numberOf(row["difference"])];
    const p = numberOf(row["p_adjusted"]);
    const turned = (value: number | null | undefined) => (value == null ? null : 0 - value);
    if (a === best) return [{ other: b, difference, low, high, p }];
    if (b !== best) return [];
    return [{ other: a, difference: turned(difference), low: turned(high), high: turned(low), p }];
  });
  if (rows.length === 0) return null;
  const points = (share: number | null | undefined) =>
    formatNumber(share == null ? null : 100 * share, 1);
  return (
    <DataTable
      label="Differences"
      rows={rows}
      columns={[
        { head: "Best", cell: () => <Shown text={best} /> },
        { head: "Against", cell: (row) => <Shown text={row.other} /> },
        { head: "Ahead by, points", num: true, cell: (row) => points(row.difference) },
        {
          head: `${level} interval`,
          num: true,
          cell: (row) => (row.low == null ? "–" : `${points(row.low)} to ${points(row.high)}`),
        },
        { head: "p of all pairs", num: true, cell: (row) => formatP(row.p) },
      ]}
    />
  );
}

/** A colour for each share that is kept, strictly. */
function Kinds({ systems }: { systems: Members[] }) {
  const kinds = [
    ...new Set(systems.flatMap((system) => Object.keys(membersOf(system["types"])))),
  ].sort();
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Constraints kept by kind">
      <table class="matrix">
        <thead>
          <tr>
            <td />
            {systems.map((system, at) => (
              <th key={at} scope="col">
                <Shown text={nameOf(system, "system")} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind}>
              <th scope="row">
                <Shown text={kind} />
              </th>
              {systems.map((system, at) => (
                <KindCell key={at} kept={membersOf(membersOf(system["types"])[kind])} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KindCell({ kept }: { kept: Members }) {
  const [n, strict] = [numberOf(kept["n"]), numberOf(kept["strict"])];
  if (!n || strict === null) return <td class="none">–</td>;
  return (
    <td
      style={{
        background: `color-mix(in oklab, var(--c0) ${Math.round(45 * (strict / n))}%, var(--paper))`,
      }}
    >
      <b>{formatPercent(strict / n)}</b>
      <small>
        {formatNumber(strict)} of {formatNumber(n)}
      </small>
    </td>
  );
}
