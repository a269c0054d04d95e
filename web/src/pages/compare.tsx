import { useLoaded, usePage } from "../context";
import { OutcomeText } from "../parts/cell";
import { DataTable } from "../parts/datatable";
import { Notice } from "../parts/notice";
import { linkTo } from "../route";
import { membersOf } from "../source/report";
import type { Source } from "../source/source";
import type { Row } from "../source/types";
import { formatNumber, formatPercent } from "../text/format";
import { plainText, Shown } from "../text/visible";
import { shownNames } from "./runs";

const PAGE = 1000;
const MOST = 20_000;

export function ComparePage() {
  const { source, route } = usePage();
  const name = route.query.get("with");
  const { data: runs, error, loading } = useLoaded(() => source.loadRuns(), [source]);
  const shown = shownNames((runs ?? []).map(membersOf));
  const names = [...shown.keys()].filter((one) => one && one !== route.run);
  return (
    <>
      <h1>Run against run</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Compare with</span>
          <select
            value={name ?? ""}
            onChange={(event) => {
              location.hash = linkTo(route, "compare", { with: event.currentTarget.value });
            }}
          >
            <option value="">choose a run</option>
            {names.map((one) => (
              <option key={one} value={one}>
                {plainText(shown.get(one) ?? one)}
              </option>
            ))}
          </select>
        </label>
      </form>
      {error && (
        <Notice kind="error">
          <Shown text={error} />
        </Notice>
      )}
      {!loading && !error && !names.length && (
        <Notice kind="note">
          There is no other run beside this one. Serve the folder of runs to compare two.
        </Notice>
      )}
      {name && <Comparison key={name} name={name} called={shown.get(name) ?? name} />}
    </>
  );
}

interface Pairing {
  here: Row;
  there: Row;
}

function Comparison({ name, called }: { name: string; called: string }) {
  const { source, route } = usePage();
  const { data, error } = useLoaded(() => loadPairings(source, name), [source, name]);
  if (error)
    return (
      <Notice kind="error">
        <Shown text={error} />
      </Notice>
    );
  if (!data) return <p role="status">Reading both runs…</p>;
  if (!data.length)
    return (
      <p class="lead" role="status">
        The two runs did not judge the same pair of system names on any item. If a system has a new
        name, compare them on the command line:{" "}
        <code>evenhand compare OLD_RUN NEW_RUN --pair OLD,NEW</code>
      </p>
    );
  const changed = data.filter(isChanged).length;
  const sorted = [...data].sort(
    (one, other) => Number(isChanged(other)) - Number(isChanged(one)) || shift(other) - shift(one),
  );
  return (
    <>
      <p class="lead" role="status">
        {`${formatNumber(changed)} of ${formatNumber(data.length)} outcomes changed (${formatPercent(changed / data.length, 1)}).`}
      </p>
      <DataTable
        label="Outcomes in both runs"
        rows={sorted}
        marked={isChanged}
        columns={[
          { head: "Item", cell: ({ here }) => <Shown text={here.item} /> },
          { head: "Pair", cell: ({ here }) => <Pair row={here} /> },
          {
            head: "This run",
            cell: ({ here }) => (
              <a href={linkTo(route, `judgment/${here.id}`)}>
                <OutcomeText row={here} />
              </a>
            ),
          },
          {
            head: plainText(called),
            cell: ({ there }) => (
              <a href={linkTo({ run: name }, `judgment/${there.id}`)}>
                <OutcomeText row={there} />
              </a>
            ),
          },
          {
            head: "Shift, in points of 100",
            num: true,
            cell: (pairing) => formatNumber(100 * shift(pairing)),
          },
        ]}
      />
    </>
  );
}

function Pair({ row: { a, b } }: { row: Row }) {
  return (
    <>
      <Shown text={a} />
      {b !== null && (
        <>
          {" "}
          against <Shown text={b} />
        </>
      )}
    </>
  );
}

function winnerOf(row: Row): string | null {
  return row.outcome === "a" ? row.a : row.outcome === "b" ? row.b : row.outcome;
}

function isChanged({ here, there }: Pairing): boolean {
  return here.b === null ? here.score !== there.score : winnerOf(here) !== winnerOf(there);
}

function shift({ here, there }: Pairing): number {
  if (here.p === null || there.p === null) return 0;
  return Math.abs(here.p - (here.a === there.a ? there.p : 1 - there.p));
}

function keyOf(row: Row): string {
  const names = row.systems ?? [row.a, row.b ?? ""];
  return JSON.stringify([row.item, row.replicate, ...[...names].sort()]);
}

async function loadPairings(source: Source, name: string): Promise<Pairing[]> {
  const other = source.openRun(name);
  if (!other) return [];
  const known = new Map((await loadAll(other)).map((row) => [keyOf(row), row]));
  return (await loadAll(source)).flatMap((here) => {
    const there = known.get(keyOf(here));
    return there ? [{ here, there }] : [];
  });
}

async function loadAll(source: Source): Promise<Row[]> {
  const all: Row[] = [];
  for (let total = 1; all.length < Math.min(total, MOST); ) {
    const found = await source.loadRows(`offset=${all.length}&limit=${PAGE}`);
    if (!found.rows.length) break;
    all.push(...found.rows);
    total = found.total;
  }
  return all;
}
