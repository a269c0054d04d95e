import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys, usePage } from "../context";
import { Flags, Named, OrderCell, OutcomeText } from "../parts/cell";
import { Chips, FilterBar, filtersOf } from "../parts/filters";
import { Notice } from "../parts/notice";
import { BLOCK, usePagedRows, useVirtual } from "../parts/window";
import { changeQuery, linkTo } from "../route";
import type { Overview, Row } from "../source/types";
import { countOf, formatNumber, formatPercent, formatUsd } from "../text/format";
import { plainText, Shown } from "../text/visible";

const HEIGHT = 56;
const KEYS = new Map([
  ["1", "a"],
  ["2", "b"],
  ["0", "tie"],
]);

export function JudgmentsPage() {
  const { route } = usePage();
  useKeys((key) => {
    const outcome = KEYS.get(key);
    if (outcome) {
      const next = route.query.get("outcome") === outcome ? null : outcome;
      location.hash = linkTo(
        route,
        "judgments",
        changeQuery(route.query, { outcome: next, offset: null }),
      );
      return true;
    }
    if (key !== "/") return false;
    document.querySelector<HTMLInputElement>("input[name=text]")?.focus();
    return true;
  });
  return (
    <>
      <h1>Judgments</h1>
      <details class="filter-box" open={innerWidth > 700}>
        <summary>Filters</summary>
        <FilterBar />
      </details>
      <Chips />
      <RowsTable />
    </>
  );
}

function RowsTable() {
  const { source, overview, route } = usePage();
  const query = filtersOf(route.query).toString();
  const offset = Math.max(0, Number(route.query.get("offset") ?? 0) || 0);
  const holder = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(0);
  const { items, size, scrollTo } = useVirtual(holder, count, HEIGHT);
  const [from, to] = [offset + (items[0]?.index ?? 0), offset + (items.at(-1)?.index ?? 0)];
  const rows = usePagedRows(source, overview.version, query, from, to);
  useEffect(
    () => setCount(Math.min(BLOCK, Math.max(0, (rows.total ?? 0) - offset))),
    [rows.total, offset],
  );
  const [chosen, setChosen] = useChosen(query, offset, count, scrollTo, (index) => rows.at(index));
  const shape = shapeOf(
    overview,
    items.map(({ index }) => rows.at(offset + index)),
  );
  const before = items[0]?.start ?? 0;
  const after = size - (items.at(-1)?.end ?? 0);
  return (
    <>
      {rows.error && (
        <Notice kind="error">
          <Shown text={rows.error} />
        </Notice>
      )}
      {!(rows.error && rows.total === null) && (
        <p class="lead" role="status">
          {rows.total === null || rows.of === null
            ? "Reading…"
            : sayTotal(rows.total, rows.of, overview, shape.pairs)}
          {rows.searched && (
            <small>
              {" "}
              <Shown text={rows.searched} />
            </small>
          )}
        </p>
      )}
      {overview.sample && (
        <Notice kind="note">
          <Shown text={overview.sample.how} />
        </Notice>
      )}
      <div
        class="rows"
        ref={holder}
        tabIndex={0}
        role="group"
        aria-label="Judgments; j and k choose, Enter opens"
      >
        <table aria-rowcount={(rows.total ?? 0) + 1} class={shape.classes}>
          <thead>
            <tr>
              <th scope="col" class="of-item">
                Item
              </th>
              <th scope="col" class="wide of-category">
                Category
              </th>
              <th scope="col" class="of-systems">
                {shape.pairs ? "Pair" : "System"}
              </th>
              <th scope="col" class="of-order">
                {shape.pairs ? "Upper first" : "Verdict"}
              </th>
              <th scope="col" class="of-pair of-order">
                Lower first
              </th>
              <th scope="col" class="of-outcome">
                Outcome
              </th>
              <th scope="col" class="wide num of-pair">
                Confidence
              </th>
              <th scope="col" class="wide num of-cost">
                Cost
              </th>
              <th scope="col" class="wide num of-tokens">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {before > 0 && (
              <tr aria-hidden="true">
                <td style={{ height: `${before}px`, padding: 0 }} />
              </tr>
            )}
            {items.map(({ index }) => (
              <JudgmentRow
                key={index}
                row={rows.at(offset + index)}
                index={offset + index}
                chosen={chosen === index}
                choose={() => setChosen(index)}
              />
            ))}
            {after > 0 && (
              <tr aria-hidden="true">
                <td style={{ height: `${after}px`, padding: 0 }} />
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <Blocks total={rows.total ?? 0} offset={offset} />
    </>
  );
}

/** Columns that would be empty are left out. */
function shapeOf(
  overview: Overview,
  shown: (Row | undefined)[],
): { pairs: boolean; classes: string } {
  const pairs = overview.matrix.length > 0 || shown.some((row) => row?.b != null);
  const priced = shown.some((row) => row?.cost != null);
  return {
    pairs,
    classes: [
      pairs ? "" : "no-pair",
      priced ? "" : "no-cost",
      overview.categories.length ? "" : "no-category",
    ].join(" "),
  };
}

/** Both numbers are of one reading: the overview of a run that grows may be of another. */
function sayTotal(total: number, all: number, overview: Overview, pairs: boolean): string {
  if (total === 0) return "No judgment matches.";
  if (overview.sample) return countOf(total, "row", "rows");
  if (total === all && !pairs) return `${formatNumber(total)} judgments`;
  return total === all
    ? `${formatNumber(total)} pairs, both orders of each in one row`
    : `${formatNumber(total)} of ${formatNumber(all)} rows match`;
}

function useChosen(
  query: string,
  offset: number,
  count: number,
  scrollTo: (index: number) => void,
  rowAt: (index: number) => Row | undefined,
): [number, (index: number) => void] {
  const { route } = usePage();
  const [chosen, setChosen] = useState(
    () => Math.max(0, Number(route.query.get("at") ?? offset) - offset) || 0,
  );
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its first row.
  useEffect(() => {
    if (!first.current) setChosen(0);
    first.current = false;
  }, [query, offset]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when there are rows.
  useEffect(() => {
    if (count && chosen > 0) scrollTo(chosen);
  }, [count > 0]);
  useKeys((key) => {
    if (key === "Enter" && document.activeElement?.matches("a, button, summary")) return false;
    if (key === "Enter") return openRow(rowAt(offset + chosen), offset + chosen);
    const step = key === "j" || key === "ArrowDown" ? 1 : key === "k" || key === "ArrowUp" ? -1 : 0;
    if (!step) return false;
    const next = Math.max(0, Math.min(count - 1, chosen + step));
    setChosen(next);
    scrollTo(next);
    return true;
  });
  const openRow = (row: Row | undefined, index: number) => {
    if (row)
      location.hash = linkTo(
        route,
        `judgment/${row.id}`,
        changeQuery(route.query, { at: String(index), offset: null }),
      );
    return true;
  };
  return [chosen, setChosen];
}

function JudgmentRow({
  row,
  index,
  chosen,
  choose,
}: {
  row: Row | undefined;
  index: number;
  chosen: boolean;
  choose: () => void;
}) {
  const { route } = usePage();
  if (!row)
    return (
      <tr aria-rowindex={index + 2}>
        <td class="muted">…</td>
      </tr>
    );
  const link = linkTo(
    route,
    `judgment/${row.id}`,
    changeQuery(route.query, { at: String(index), offset: null }),
  );
  return (
    <tr
      aria-rowindex={index + 2}
      class={chosen ? "chosen" : ""}
      aria-current={chosen ? "true" : undefined}
      onClick={choose}
    >
      <th scope="row">
        <div class="two">
          <a href={link}>
            <Shown text={row.item} />
            {row.replicate > 0 && ` · repeat ${row.replicate}`}
          </a>
          <small title={plainText(row.excerpt)}>
            <Shown text={row.excerpt ?? ""} />
          </small>
        </div>
      </th>
      <td class="wide of-category">
        <Shown text={row.category ?? ""} />
      </td>
      <td>
        <div class="two">
          <Names row={row} />
        </div>
      </td>
      <td class="of-order">
        <OrderCell row={row} cell={row.ab} swapped={false} />
      </td>
      <td class="of-pair of-order">
        <OrderCell row={row} cell={row.ba} swapped={true} />
      </td>
      <td>
        <div class="two">
          <span>
            <OutcomeText row={row} />
          </span>
          <span>
            <Flags row={row} />
          </span>
        </div>
      </td>
      <td class="wide num of-pair">{formatPercent(row.confidence)}</td>
      <td class="wide num of-cost">{formatUsd(row.cost)}</td>
      <td class="wide num">{formatNumber(row.tokens)}</td>
    </tr>
  );
}

function Names({ row }: { row: Row }) {
  if (row.systems) return <Shown text={row.systems.join(", ")} />;
  return (
    <>
      <span>
        <Named row={row} system={row.a} />
      </span>
      {row.b !== null && (
        <span>
          <Named row={row} system={row.b} />
        </span>
      )}
    </>
  );
}

function Blocks({ total, offset }: { total: number; offset: number }) {
  const { route } = usePage();
  if (total <= BLOCK) return null;
  const link = (to: number) =>
    linkTo(
      route,
      "judgments",
      changeQuery(route.query, { offset: to ? String(to) : null, at: null }),
    );
  return (
    <p class="blocks">
      {offset > 0 && <a href={link(Math.max(0, offset - BLOCK))}>previous {formatNumber(BLOCK)}</a>}{" "}
      rows {formatNumber(offset + 1)} to {formatNumber(Math.min(total, offset + BLOCK))}{" "}
      {offset + BLOCK < total && <a href={link(offset + BLOCK)}>next {formatNumber(BLOCK)}</a>}
    </p>
  );
}
