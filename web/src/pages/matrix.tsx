import { usePage } from "../context";
import { linkTo } from "../route";
import { readRanking } from "../source/report";
import type { MatrixCell, Overview } from "../source/types";
import { formatNumber, formatPercent } from "../text/format";
import { plainText, Shown } from "../text/visible";

export function MatrixPage() {
  const { overview } = usePage();
  const order = orderSystems(overview);
  const cells = new Map(overview.matrix.map((cell) => [`${cell.a}:${cell.b}`, cell]));
  return (
    <>
      <h1>Head to head</h1>
      <p class="lead">
        How often the system of the row is preferred to that of the column, a tie counted as half. A
        cell opens its judgments.
      </p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Matrix of win shares">
        <table class="matrix">
          <thead>
            <tr>
              <td />
              {order.map((system) => (
                <th key={system} scope="col">
                  <Shown text={overview.systems[system]} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map((row) => (
              <tr key={row}>
                <th scope="row">
                  <Shown text={overview.systems[row]} />
                </th>
                {order.map((column) => (
                  <Cell
                    key={column}
                    row={row}
                    column={column}
                    cell={cells.get(row < column ? `${row}:${column}` : `${column}:${row}`)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="scale" aria-hidden="true">
        <span>0 %</span>
        <span class="bar" />
        <span>100 %</span>
      </p>
      <p class="note">
        Blue: the row wins more often; orange: the column does. n counts pairs of responses, both
        orders of one as one; “consistent” are those with the same outcome in both orders, of those
        judged in both.
      </p>
    </>
  );
}

function orderSystems(overview: Overview): number[] {
  const ranked = (readRanking(overview.report)?.rows ?? [])
    .map((row) => overview.systems.indexOf(row.system))
    .filter((at) => at >= 0);
  const rest = overview.systems.map((_, at) => at).filter((at) => !ranked.includes(at));
  return [...ranked, ...rest];
}

function Cell({
  row,
  column,
  cell,
}: {
  row: number;
  column: number;
  cell: MatrixCell | undefined;
}) {
  const { overview, route } = usePage();
  if (row === column || !cell) return <td class="none">{row === column ? "" : "–"}</td>;
  const share = cell.share === null ? null : row < column ? cell.share : 1 - cell.share;
  const [a, b] = [overview.systems[row] ?? "", overview.systems[column] ?? ""];
  const strength = share === null ? 0 : Math.round(Math.abs(share - 0.5) * 90);
  const colour = share !== null && share < 0.5 ? "var(--c1)" : "var(--c0)";
  return (
    <td style={{ background: `color-mix(in oklab, ${colour} ${strength}%, var(--paper))` }}>
      <a
        href={linkTo(route, "judgments", { pair: `${a}~${b}` })}
        title={plainText(`${a} against ${b}`)}
      >
        <b>{formatPercent(share)}</b>
        <small>n {formatNumber(cell.n)}</small>
        <small>{cell.both ? `${cell.consistent}/${cell.both} consistent` : "one order"}</small>
      </a>
    </td>
  );
}
