/** Slices of a report: which one is shown, what its reader must know, and who differs where. */

import type { ComponentChildren } from "preact";
import { usePage } from "../context";
import { linkTo } from "../route";
import type { Json } from "../source/types";
import {
  type Deviation,
  isSure,
  nameSlice,
  readSliced,
  type Slice,
  type Sliced,
  type SliceUnit,
} from "../source/slices";
import { countOf, formatNumber, formatP } from "../text/format";
import { plainText, Shown } from "../text/visible";
import { DataTable } from "./datatable";
import { Notice } from "./notice";

/** What the report says of slices, and the one that the address names; none is all items. */
export function useSlice(report: Json): { sliced: Sliced | null; slice: Slice | null } {
  const { route } = usePage();
  const sliced = readSliced(report);
  const value = route.query.get("slice");
  return { sliced, slice: sliced?.slices.find((one) => one.value === value) ?? null };
}

/** The choice of a slice, and what is to be known of the one that is chosen. */
export function SliceHead({ sliced, slice }: { sliced: Sliced | null; slice: Slice | null }) {
  if (!sliced) return null;
  return (
    <>
      {sliced.slices.length > 0 && <Choice sliced={sliced} slice={slice} />}
      {slice && <Known sliced={sliced} slice={slice} />}
    </>
  );
}

/** Whether slices differ, in the report's own words. The report's answer is about all items, and
 * stands above. */
function Answer({ sliced }: { sliced: Sliced | null }) {
  return sliced?.interaction?.summary ? (
    <p class="answer">
      <Shown text={sliced.interaction.summary} />
    </p>
  ) : null;
}

function Choice({ sliced, slice }: { sliced: Sliced; slice: Slice | null }) {
  const { route } = usePage();
  const asked = route.query.get("slice");
  // The address keeps the value, since another run has other places; a blank value is one too.
  const choose = (at: string) => {
    const chosen = sliced.slices[Number(at)];
    location.hash = linkTo(route, "ranking", at !== "" && chosen ? { slice: chosen.value } : {});
  };
  return (
    <>
      <form class="filters slices no-print" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Slice</span>
          <select
            name="slice"
            value={slice ? String(sliced.slices.indexOf(slice)) : ""}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            <option value="">all {sliced.counted[1]}</option>
            {sliced.slices.map((one, at) => (
              <option key={at} value={String(at)}>
                {plainText(sayOption(sliced, one))}
              </option>
            ))}
          </select>
        </label>
      </form>
      {asked !== null && !slice && (
        <Notice kind="warning">
          There is no slice <Shown text={`${sliced.field} = ${nameSlice(asked)}`} /> in this report;
          all {sliced.counted[1]} are shown.
        </Notice>
      )}
    </>
  );
}

function sayOption({ field }: Sliced, { value, size, tooSmall }: Slice): string {
  return `${field} = ${nameSlice(value)} (${size}${tooSmall ? ", too small" : ""})`;
}

function Known({ sliced, slice }: { sliced: Sliced; slice: Slice }) {
  return (
    <>
      {slice.tooSmall && (
        <Notice kind="warning">
          Too small: this slice has {slice.size}. With fewer than {formatNumber(sliced.least)}{" "}
          {slice.units}, intervals are too narrow, and what looks settled may be chance.
        </Notice>
      )}
      {slice.note !== null && (
        <Notice kind="warning">
          {Array.isArray(slice.members["ranking"]) && !slice.members["ranking"].length
            ? "This slice has no ranking: "
            : ""}
          <Shown text={slice.note} />.
        </Notice>
      )}
      <p class="note">
        The headline, the figures and the tables of systems cover only the {sliced.counted[1]} with{" "}
        <Shown text={`${sliced.field} = ${nameSlice(slice.value)}`} />, as if there were no others;
        the rest of the page covers all {sliced.counted[1]}.
        {sliced.ownMean &&
          " The scores here have their own mean: compare them within this slice, not with those of another."}
      </p>
    </>
  );
}

/** Begins a sentence about a slice. */
export function OnSlice({ sliced, slice }: { sliced: Sliced; slice: Slice }) {
  return slice.value === "" ? (
    <>
      On {sliced.counted[1]} without <Shown text={sliced.field} />,{" "}
    </>
  ) : (
    <>
      On <Shown text={slice.value} />,{" "}
    </>
  );
}

/** More deviations than these are shown by their p-values, and at first so many. */
const MANY = 60;
const FIRST = 20;

/** Whether slices differ, and how far everyone is from what all items say, slice by slice. */
export function Deviations({ sliced, who = "System" }: { sliced: Sliced | null; who?: string }) {
  if (!sliced?.interaction?.deviations.length) return <Answer sliced={sliced} />;
  const { deviations } = sliced.interaction;
  // Of many, those with the smallest p-values come first.
  const isMany = deviations.length > MANY;
  const rows = isMany ? [...deviations].sort((a, b) => (a.p ?? 2) - (b.p ?? 2)) : deviations;
  const figure = (head: string, say: (row: Deviation) => ComponentChildren) => ({
    head,
    num: true,
    cell: say,
  });
  return (
    <section>
      <h2>
        By <Shown text={sliced.field} />
      </h2>
      <Answer sliced={sliced} />
      <DataTable
        label="Deviations by slice"
        rows={rows}
        first={isMany ? FIRST : undefined}
        marked={(row) => isSure(row, sliced.level)}
        columns={[
          { head: who, cell: (row) => <Shown text={row.name} /> },
          { head: "Slice", cell: (row) => <Shown text={nameSlice(row.value)} /> },
          figure("Beyond the overall score", (row) => saySigned(row.deviation)),
          figure("Standard error", (row) => formatNumber(row.error, 3)),
          figure("Pooled", (row) => saySigned(row.pooled)),
          figure(
            "Adjusted p",
            (row) => `${formatP(row.p)}${isSure(row, sliced.level) ? " *" : ""}`,
          ),
        ]}
      />
      <AboutDeviations sliced={sliced} />
    </section>
  );
}

const UNITS: Record<SliceUnit, string> = {
  "share won": "Share of comparisons won",
  "share kept": "Share of responses that keep all constraints",
  "share right": "Share of verdicts that are right",
  points: "Points",
};

function AboutDeviations({
  sliced: { interaction, least, level, counted, slices },
}: {
  sliced: Sliced;
}) {
  const { unit, method, permutations, seed, tested } = interaction!;
  const how = [
    method,
    permutations !== null && countOf(permutations, "permutation", "permutations"),
    seed !== null && `seed ${seed}`,
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <p class="note">
      {UNITS[unit]} in each slice beyond what the scores over all items predict
      {how && (
        <>
          {" "}
          (<Shown text={how} />)
        </>
      )}
      . Pooled is the same, shrunk by what chance explains: a better guess for small slices. Rows
      are marked and have a * where p, adjusted for{" "}
      {tested === null ? "all tests" : countOf(tested, "test", "tests")}, is at most{" "}
      {formatNumber(1 - level, 2)}; slices of fewer than {formatNumber(least)}{" "}
      {slices[0]?.units ?? counted[1]} are not tested.
    </p>
  );
}

function saySigned(value: number | null): string {
  return `${value !== null && value > 0 ? "+" : ""}${formatNumber(value, 3)}`;
}
