import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatNumber } from "../text/format";

export interface Column<T> {
  head: string;
  cell: (row: T) => ComponentChildren;
  /** Numbers stand at the right. */
  num?: boolean;
}

const SHOWN = 300;

/** A table whose first column names its rows. */
export function DataTable<T>({
  label,
  rows,
  columns,
  marked,
  first = SHOWN,
}: {
  label: string;
  rows: T[];
  columns: Column<T>[];
  marked?: (row: T) => boolean;
  /** How many rows are shown at first. */
  first?: number | undefined;
}) {
  const [shown, setShown] = useState(first);
  const kind = (column: Column<T>) => (column.num ? "num" : undefined);
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label={label}>
        <table class="data cards">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.head} scope="col" class={kind(column)}>
                  {column.head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              <tr key={at} class={marked?.(row) ? "changed" : undefined}>
                {columns.map((column, index) =>
                  index ? (
                    <td key={index} class={kind(column)} data-label={column.head}>
                      {column.cell(row)}
                    </td>
                  ) : (
                    <th key={index} scope="row">
                      {column.cell(row)}
                    </th>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <button type="button" onClick={() => setShown(shown + SHOWN)}>
          Show more of {formatNumber(rows.length)}
        </button>
      )}
    </>
  );
}
