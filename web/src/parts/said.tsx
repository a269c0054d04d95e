import { nameOf, type Members } from "../reports/measure";
import { textOf } from "../source/report";
import { Shown } from "../text/visible";

/** What each person said of a pair, for who may see its systems. */
export function SaidList({ said }: { said: Members[] }) {
  return (
    <ul class="people">
      {said.map((one, at) => (
        <li key={at}>
          <b>
            <Shown text={nameOf(one, "annotator")} />
          </b>
          {one["decides"] === true && " decides"}: <Preferred said={one} />
          {textOf(one["comment"]) !== null && (
            <>
              {" "}
              – <Shown text={textOf(one["comment"])} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Preferred({ said }: { said: Members }) {
  const system = textOf(said["preferred"]);
  if (system !== null) return <Shown text={system} />;
  return <>{said["both_bad"] === true ? "both bad" : "tie"}</>;
}
