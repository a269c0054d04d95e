import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { countOf, formatNumber } from "../text/format";
import { Shown } from "../text/visible";
import type { Json } from "../source/types";

const DEPTH = 6;
const ROWS = 300;
/** Parts with more figures than this are folded. */
const FOLDED = 8;

type Members = { [key: string]: Json };

/** Shows any part of a report: lists of objects as tables, objects as names and values. */
export function GenericReport({ value, depth = 0 }: { value: Json; depth?: number }) {
  if (value === null || typeof value !== "object" || depth > DEPTH) return <Scalar value={value} />;
  if (!Array.isArray(value))
    return isTable(value) ? (
      <Table
        rows={Object.entries(value).map(([name, row]) => ({ "": name, ...(row as Members) }))}
        depth={depth}
      />
    ) : (
      <MemberList value={value} depth={depth} />
    );
  if (!value.length) return <>–</>;
  if (value.every(isScalar))
    return (
      <>
        {value.map((one, index) => (
          <span key={index}>
            {index > 0 &&
              (value.every((part) => typeof part === "string" && part.length > 40) ? <br /> : ", ")}
            <Scalar value={one} />
          </span>
        ))}
      </>
    );
  return <Table rows={value} depth={depth} />;
}

function isScalar(value: Json): boolean {
  return value === null || typeof value !== "object";
}

function isObject(value: Json | undefined): value is Members {
  return value != null && typeof value === "object" && !Array.isArray(value);
}

/** Whether all members are objects of the same members. */
function isTable(value: Members): boolean {
  const [first, ...rest] = Object.values(value);
  if (!isObject(first) || !rest.length) return false;
  return rest.every(
    (row) => isObject(row) && Object.keys(row).join() === Object.keys(first).join(),
  );
}

function Scalar({ value }: { value: Json }) {
  if (value === null) return <>–</>;
  if (typeof value === "number") return <span class="num">{sayNumber(value)}</span>;
  if (typeof value === "boolean") return <>{value ? "yes" : "no"}</>;
  return <Shown text={typeof value === "object" ? JSON.stringify(value) : value} />;
}

/** Four significant digits, all of a whole number. */
function sayNumber(value: number): string {
  if (Number.isInteger(value))
    return Math.abs(value) < 10_000 ? String(value) : formatNumber(value);
  const size = Math.abs(value);
  if (size < 0.0005 || size >= 1e9) return value.toExponential(2);
  return formatNumber(value, size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

/** What members are called in words, where their own names do not say it. */
export const PlainNames = createContext<Record<string, string>>({});

function Name({ name }: { name: string }) {
  const plain = useContext(PlainNames);
  const said = Object.hasOwn(plain, name) ? plain[name] : undefined;
  return <Shown text={said ?? name.replaceAll("_", " ")} />;
}

/** Names whose interval stands beside them are shown with it. */
function namesOf(names: string[]): string[] {
  const known = new Set(names);
  return names.filter((name) => !(name.endsWith("_ci") && known.has(name.slice(0, -3))));
}

function Measured({ value, ci }: { value: Json; ci: Json | undefined }) {
  const ends =
    Array.isArray(ci) && ci.length === 2
      ? ci.map((end) => (typeof end === "number" ? sayNumber(end) : "?"))
      : null;
  return (
    <>
      <Scalar value={value} />
      {ends && (
        <>
          {" "}
          ({ends[0]} to {ends[1]})
        </>
      )}
    </>
  );
}

function Member({ from, name, depth }: { from: Members; name: string; depth: number }) {
  const value = Object.hasOwn(from, name) ? (from[name] ?? null) : null;
  if (typeof value === "number") return <Measured value={value} ci={from[`${name}_ci`]} />;
  if (
    isObject(value) &&
    Object.keys(value).every((key) => ["value", "ci", "n", "note", "range"].includes(key)) &&
    typeof value["value"] === "number"
  )
    return <Measured value={value["value"]} ci={value["ci"]} />;
  const size = countLeaves(value);
  if (depth > 0 && size <= FOLDED) return <GenericReport value={value} depth={depth + 1} />;
  if (size <= FOLDED || isScalar(value)) return <GenericReport value={value} depth={depth + 1} />;
  return (
    <details>
      <summary>
        {/* Its name stands beside it. */}
        {Array.isArray(value)
          ? countOf(value.length, "entry", "entries")
          : countOf(Object.keys(value as Members).length, "part", "parts")}
      </summary>
      <GenericReport value={value} depth={depth + 1} />
    </details>
  );
}

function countLeaves(value: Json): number {
  if (value === null || typeof value !== "object") return 1;
  let sum = 0;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    sum += countLeaves(part);
    if (sum > FOLDED) break;
  }
  return sum;
}

function MemberList({ value, depth }: { value: Members; depth: number }) {
  const names = namesOf(Object.keys(value)).filter(
    (name) =>
      value[name] !== null && !(Array.isArray(value[name]) && !(value[name] as Json[]).length),
  );
  return (
    <dl>
      {names.map((name) => (
        <div key={name}>
          <dt>
            <Name name={name} />
          </dt>
          <dd>
            <Member from={value} name={name} depth={depth} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Table({ rows, depth }: { rows: Json[]; depth: number }) {
  const all = [...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
  const names = namesOf(all).filter((name) =>
    rows.some((row) => isObject(row) && row[name] != null),
  );
  const isNumbers = (name: string) =>
    rows.every((row) => !isObject(row) || row[name] == null || typeof row[name] === "number");
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Table">
      <table class="data">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col" class={isNumbers(name) ? "num" : undefined}>
                <Name name={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS).map((row, index) => (
            <tr key={index}>
              {names.map((name) => (
                <td key={name} class={isNumbers(name) ? "num" : undefined}>
                  {isObject(row) ? (
                    <Member from={row} name={name} depth={depth + 1} />
                  ) : (
                    <GenericReport value={row} depth={depth + 1} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS && (
        <p class="note">
          The first {formatNumber(ROWS)} of {formatNumber(rows.length)} rows.
        </p>
      )}
    </div>
  );
}
