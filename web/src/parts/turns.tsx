import { listOf, membersOf, textOf } from "../source/report";
import type { Json } from "../source/types";
import { countOf, formatNumber } from "../text/format";
import { Shown } from "../text/visible";

/** A conversation, folded. */
export function Turns({ title, turns }: { title: string; turns: unknown }) {
  const list = listOf(turns as Json).map(membersOf);
  if (!list.length) return null;
  return (
    <details class="turns">
      <summary>
        {title} <small>{countOf(list.length, "turn", "turns")}</small>
      </summary>
      {list.map((turn, index) => (
        <div key={index}>
          <h5>
            <Shown text={textOf(turn["role"]) ?? "?"} />
          </h5>
          <pre class="plain">
            <Shown text={textOf(turn["content"]) ?? JSON.stringify(turn["content"] ?? null)} />
          </pre>
        </div>
      ))}
    </details>
  );
}

/** What an agent did before its final message, folded. */
export function TrajectoryView({ trajectory }: { trajectory: unknown }) {
  const members = membersOf(trajectory as Json);
  const steps = listOf(members["steps"]).map(membersOf);
  const gap = membersOf(members["left_out"]);
  if (!steps.length) return null;
  return (
    <details class="turns">
      <summary>
        What it did <small>{countOf(steps.length, "step", "steps")}</small>
      </summary>
      {steps.map((step, index) => (
        <div key={index}>
          {index === gap["after"] && (
            <p class="note">
              Here {formatNumber(Number(gap["steps"] ?? 0))} steps are left out,{" "}
              {formatNumber(Number(gap["tokens"] ?? 0))} tokens.
            </p>
          )}
          <h5>
            {Number(step["number"] ?? index + 1)}. {sayKind(step["kind"] ?? null)}{" "}
            <Shown text={textOf(step["name"]) ?? ""} />
          </h5>
          <pre class="plain">
            <Shown text={textOf(step["text"]) ?? JSON.stringify(step)} />
          </pre>
        </div>
      ))}
    </details>
  );
}

/** A kind is a name, or an object of one member by its name. */
function sayKind(kind: Json): string {
  const name =
    textOf(kind) ?? textOf(membersOf(kind)["kind"]) ?? Object.keys(membersOf(kind))[0] ?? "step";
  const failed = membersOf(membersOf(kind)[name] ?? kind)["failed"] === true;
  return `${name}${failed ? ", failed" : ""}`;
}
