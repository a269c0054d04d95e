import { formatScore } from "../text/format";
import { Shown } from "../text/visible";
import type { Json } from "../source/types";

const DEPTH = 6;
const ROWS = 500;

/** Shows any part of a report: lists of objects as tables, objects as names and values. */
export function GenericReport({ value, depth = 0 }: { value: Json; depth?: number }) {
  if (value === null || typeof value !== "object" || depth > DEPTH) return <Scalar value={value} />;
  if (!Array.isArray(value)) return <Members value={value} depth={depth} />;
  if (!value.length) return <>–</>;
  if (value.every(isScalar)) return <>{value.map((one, index) => <span key={index}>{index > 0 && ", "}<Scalar value={one} /></span>)}</>;
  return <Table rows={value} depth={depth} />;
}

function isScalar(value: Json): boolean {
  return value === null || typeof value !== "object";
}

function Scalar({ value }: { value: Json }) {
  if (value === null) return <>–</>;
  if (typeof value === "number") return <span class="num">{Number.isInteger(value) ? String(value) : formatScore(value)}</span>;
  return <Shown text={typeof value === "object" ? JSON.stringify(value) : value} />;
}

function Members({ value, depth }: { value: { [key: string]: Json }; depth: number }) {
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return <dl>{entries.map(([name, member]) => <div key={name}><dt><Shown text={name.replaceAll("_", " ")} /></dt><dd><GenericReport value={member} depth={depth + 1} /></dd></div>)}</dl>;
}

function Table({ rows, depth }: { rows: Json[]; depth: number }) {
  const names = [...new Set(rows.flatMap((row) => (row && typeof row === "object" && !Array.isArray(row) ? Object.keys(row) : [])))];
  const cell = (row: Json, name: string): Json => (row && typeof row === "object" && !Array.isArray(row) && Object.hasOwn(row, name) ? (row[name] ?? null) : null);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead><tr>{names.map((name) => <th key={name} scope="col"><Shown text={name.replaceAll("_", " ")} /></th>)}</tr></thead>
        <tbody>{rows.slice(0, ROWS).map((row, index) => <tr key={index}>{names.map((name) => <td key={name}><GenericReport value={cell(row, name)} depth={depth + 1} /></td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}
