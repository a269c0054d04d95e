import { lookPreference, lookVerdict, sideOf } from "../source/looks";
import type { Detail, Json, Look } from "../source/types";
import { formatNumber, formatPercent } from "../text/format";
import { Shown } from "../text/visible";
import { Bar } from "./cell";
import { GenericReport } from "./generic";

/** Every look that an outcome was made of, PORTIA's with the segments that it aligned. */
export function LooksView({ detail }: { detail: Detail }) {
  if (!detail.looks.length) return null;
  return (
    <div class="looks">
      <h4>Looks</h4>
      <div class="scroll" tabIndex={0} role="region" aria-label="Looks">
        <table>
          <thead><tr><th scope="col">Look</th><th scope="col">Order</th><th scope="col">Verdict</th></tr></thead>
          <tbody>{detail.looks.map((look, index) => <LookRow key={index} look={look} detail={detail} />)}</tbody>
        </table>
      </div>
      {detail.looks.map((look, index) => (look.segments ? <Segments key={index} look={look} detail={detail} /> : null))}
    </div>
  );
}

function LookRow({ look, detail }: { look: Look; detail: Detail }) {
  const slots = [...detail.responses];
  const name = [look.stage || "look", (look.judge ?? 0) > 0 ? `judge ${(look.judge ?? 0) + 1}` : "", `sample ${(look.sample ?? 0) + 1}`].filter(Boolean).join(", ");
  return (
    <tr>
      <th scope="row"><Shown text={name} />{look.criterion != null && <div class="note"><GenericReport value={look.criterion as Json} /></div>}</th>
      <td>{look.swapped ? "reversed" : "as planned"}</td>
      <td><LookVerdict look={look} names={slots.map(({ system }) => system)} /></td>
    </tr>
  );
}

function LookVerdict({ look, names }: { look: Look; names: string[] }) {
  const preference = lookPreference(look);
  const ok = lookVerdict(look);
  if (preference) {
    const side = sideOf(preference);
    const share = { a: preference[0], tie: preference[1], b: preference[2] }[side];
    return <span class="order"><Bar a={preference[0]} tie={preference[1]} b={preference[2]} /><span>{side === "tie" ? "tie" : <Shown text={names[side === "a" ? 0 : 1] ?? side} />} {formatPercent(share)}</span></span>;
  }
  if (typeof ok?.["score"] === "number") return <>{formatNumber(ok["score"], 2)}</>;
  return <GenericReport value={(look.outcome ?? null) as Json} />;
}

/** Segments of two responses that were aligned with each other: one colour and number for each. */
function Segments({ look, detail }: { look: Look; detail: Detail }) {
  const sides = readSegments(look.segments, detail);
  if (!sides) return <GenericReport value={look.segments as Json} />;
  return (
    <details><summary>Aligned segments{look.stage ? ` (${look.stage})` : ""}{look.swapped ? ", reversed" : ""}</summary>
      <div class="sides">{sides.map((parts, side) => <pre class="plain" key={side}>{parts.map((part, index) => <span key={index} class={`segment s${index % 6}`}><b>{index + 1}</b> <Shown text={part} /></span>)}</pre>)}</div>
    </details>
  );
}

function readSegments(segments: unknown, detail: Detail): string[][] | null {
  const sides = Array.isArray(segments) ? segments : segments && typeof segments === "object" ? Object.values(segments) : [];
  if (sides.length !== 2) return null;
  const read = sides.map((side, index) => (Array.isArray(side) ? readSide(side, detail.responses[index]?.text ?? "") : null));
  return read.every((side) => side !== null) ? (read as string[][]) : null;
}

/** Texts as they are, or cuts by the number of characters before them. */
function readSide(side: unknown[], text: string): string[] | null {
  if (side.every((part) => typeof part === "string")) return side as string[];
  if (!side.every((part) => typeof part === "number")) return null;
  const chars = Array.from(text);
  const cuts = [0, ...(side as number[]), chars.length];
  return cuts.slice(1).map((cut, index) => chars.slice(cuts[index], cut).join("")).filter((part, index, all) => part !== "" || index < all.length - 1);
}
