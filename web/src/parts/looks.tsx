import { lookFailure, lookPreference, lookVerdict, type Preference, sideOf } from "../source/looks";
import { membersOf, textOf } from "../source/report";
import type { Detail, Json, Look } from "../source/types";
import { formatNumber, formatPercent } from "../text/format";
import { Shown } from "../text/visible";
import { Bar } from "./cell";
import { GenericReport } from "./generic";

/** Every look that an outcome was made of: samples, votes of a panel, steps of a method. */
export function LooksView({ detail }: { detail: Detail }) {
  if (!detail.looks.length) return null;
  const several = new Set(detail.looks.map((look) => look.judge)).size > 1;
  const pair = detail.responses.length === 2;
  return (
    <div class="looks">
      <h4>{several ? "Votes" : "Looks"}</h4>
      <div class="scroll" tabIndex={0} role="group" aria-label="Looks">
        <table>
          <thead>
            <tr>
              <th scope="col">Look</th>
              {pair && <th scope="col">Shown first</th>}
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {detail.looks.map((look, index) => (
              <LookRow key={index} look={look} detail={detail} several={several} pair={pair} />
            ))}
          </tbody>
        </table>
      </div>
      {detail.looks.map((look, index) =>
        look.segments ? <Segments key={index} look={look} detail={detail} /> : null,
      )}
    </div>
  );
}

function LookRow({
  look,
  detail,
  several,
  pair,
}: {
  look: Look;
  detail: Detail;
  several: boolean;
  pair: boolean;
}) {
  const parts = [
    STAGES[look.stage ?? ""] ?? look.stage,
    several ? `judge ${(look.judge ?? 0) + 1}` : "",
    look.criterion == null ? `sample ${(look.sample ?? 0) + 1}` : "",
  ];
  return (
    <tr>
      <th scope="row">
        <Shown text={parts.filter(Boolean).join(", ")} />
        {look.criterion != null && <Criterion criterion={look.criterion as Json} />}
      </th>
      {pair && (
        <td>
          <Shown text={detail.responses[look.swapped ? 1 : 0]?.system ?? ""} />
        </td>
      )}
      <td>
        <LookVerdict look={look} detail={detail} />
      </td>
    </tr>
  );
}

const STAGES: Record<string, string> = { "": "", member: "vote", term: "term of the sum" };

function Criterion({ criterion }: { criterion: Json }) {
  const { text, weight, name } = membersOf(criterion);
  const said = textOf(text) ?? textOf(name);
  if (said === null)
    return (
      <div class="note">
        <GenericReport value={criterion} />
      </div>
    );
  return (
    <div>
      <Shown text={said} />
      {typeof weight === "number" && weight !== 1 && (
        <small> weight {formatNumber(weight, Number.isInteger(weight) ? 0 : 2)}</small>
      )}
    </div>
  );
}

function LookVerdict({ look, detail }: { look: Look; detail: Detail }) {
  const preference = lookPreference(look);
  const verdict = lookVerdict(look);
  const failure = lookFailure(look);
  if (preference) return <Preferred preference={preference} detail={detail} />;
  if (failure)
    return (
      <span class="failure">
        <Shown text={failure.kind ?? "no verdict"} />{" "}
        <small>
          <Shown text={failure.detail ?? ""} />
        </small>
      </span>
    );
  if (typeof verdict?.["score"] === "number") return <>{formatNumber(verdict["score"], 2)}</>;
  if (Array.isArray(verdict?.["places"])) return <>{verdict["places"].join(", ")}</>;
  return <GenericReport value={(look.outcome ?? null) as Json} />;
}

/** A preference in the colours of the row's systems. */
function Preferred({ preference, detail }: { preference: Preference; detail: Detail }) {
  const isTurned =
    detail.row.b !== null &&
    detail.responses[0]?.system === detail.row.b &&
    detail.row.a !== detail.row.b;
  const [a, tie, b] = isTurned ? [preference[2], preference[1], preference[0]] : preference;
  const side = sideOf([a, tie, b]);
  return (
    <span class="order">
      <Bar a={a} tie={tie} b={b} />
      <span>
        {side === "tie" ? "tie" : <Shown text={side === "a" ? detail.row.a : detail.row.b} />}{" "}
        {formatPercent({ a, tie, b }[side])}
      </span>
    </span>
  );
}

/** Segments of two responses that were aligned with each other: one colour and number for each. */
function Segments({ look, detail }: { look: Look; detail: Detail }) {
  const sides = readSegments(look.segments, detail);
  if (!sides) return <GenericReport value={look.segments as Json} />;
  return (
    <details>
      <summary>
        Aligned segments{look.stage ? ` (${look.stage})` : ""}
        {look.swapped ? ", reversed" : ""}
      </summary>
      <div class="sides">
        {sides.map((parts, side) => (
          <pre class="plain" key={side}>
            {parts.map((part, index) => (
              <span key={index} class={`segment s${index % 6}`}>
                <b>{index + 1}</b> <Shown text={part} />
              </span>
            ))}
          </pre>
        ))}
      </div>
    </details>
  );
}

function readSegments(segments: unknown, detail: Detail): string[][] | null {
  const sides = Array.isArray(segments)
    ? segments
    : segments && typeof segments === "object"
      ? Object.values(segments)
      : [];
  if (sides.length !== 2) return null;
  const read = sides.map((side, index) =>
    Array.isArray(side) ? readSide(side, detail.responses[index]?.text ?? "") : null,
  );
  return read.every((side) => side !== null) ? (read as string[][]) : null;
}

/** Texts as they are, or cuts by the number of characters before them. */
function readSide(side: unknown[], text: string): string[] | null {
  if (side.every((part) => typeof part === "string")) return side as string[];
  if (!side.every((part) => typeof part === "number")) return null;
  const chars = Array.from(text);
  const cuts = [0, ...(side as number[]), chars.length];
  return cuts
    .slice(1)
    .map((cut, index) => chars.slice(cuts[index], cut).join(""))
    .filter((part, index, all) => part !== "" || index < all.length - 1);
}
