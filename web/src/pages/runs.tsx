import { useEffect, useState } from "preact/hooks";
import { useLoaded } from "../context";
import { Notice } from "../parts/notice";
import { linkTo, type Route } from "../route";
import { membersOf, numberOf, textOf } from "../source/report";
import type { Source } from "../source/source";
import type { Json } from "../source/types";
import { countOf, formatNumber, formatUsd } from "../text/format";
import { Shown } from "../text/visible";

const PAUSE = 5000;

export function RunsPage({
  source,
  error,
}: {
  source: Source;
  route: Route;
  error: string | null;
}) {
  const tick = useTick();
  const { data, error: failed } = useLoaded(() => source.loadRuns(), [source, tick], [source]);
  if ((failed && !data) || (data === null && error))
    return (
      <Notice kind="error">
        <Shown text={error ?? failed} />
      </Notice>
    );
  return (
    <>
      <h1>Runs</h1>
      {failed && (
        <Notice kind="warning">
          <Shown text={failed} />
        </Notice>
      )}
      <p class="lead">
        {data
          ? `${countOf(data.length, "run", "runs")} in this folder.`
          : "There is no folder of runs beside this one."}
      </p>
      {data && data.length > 0 && <RunsTable runs={data} />}
    </>
  );
}

/** Runs come and go: the list is read anew while it is seen. */
function useTick(): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTick((ticks) => ticks + 1), PAUSE);
    return () => clearInterval(timer);
  }, []);
  return tick;
}

function RunsTable({ runs }: { runs: Json[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Judge</th>
            <th scope="col">Protocol</th>
            <th scope="col">Last used</th>
            <th scope="col">State</th>
            <th scope="col" class="num">
              Judgments
            </th>
            <th scope="col" class="num">
              Verdicts
            </th>
            <th scope="col" class="num">
              Calls
            </th>
            <th scope="col" class="num">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => (
            <RunRow key={index} run={membersOf(run)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How many of the planned judgments there are; a question mark where the plan is not known. */
function sayJudgments(run: { [key: string]: Json }): string {
  const [planned, judgments] = [numberOf(run["planned"]), numberOf(run["judgments"]) ?? 0];
  if (planned === null && !judgments) return "–";
  return `${formatNumber(judgments)} of ${planned === null ? "?" : formatNumber(planned)}`;
}

function RunRow({ run }: { run: { [key: string]: Json } }) {
  const name = textOf(run["name"]) ?? textOf(run["run"]) ?? "";
  const settings = membersOf(run["settings"]);
  const setting = (key: string) => (
    <Shown text={textOf(run[key]) ?? textOf(settings[key]) ?? "–"} />
  );
  return (
    <tr>
      <th scope="row">
        <a href={linkTo({ run: name }, "ranking")}>
          <Shown text={name} />
        </a>
      </th>
      <td>{setting("judge")}</td>
      <td>{setting("protocol")}</td>
      <td>{setting("last_used")}</td>
      <td>{setting("state")}</td>
      <td class="num">{sayJudgments(run)}</td>
      {["verdicts", "calls"].map((key) => (
        <td key={key} class="num">
          {formatNumber(numberOf(run[key]))}
        </td>
      ))}
      <td class="num">{formatUsd(numberOf(run["cost_usd"]))}</td>
    </tr>
  );
}
