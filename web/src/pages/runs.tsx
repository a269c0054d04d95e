import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLoaded } from "../context";
import { Notice } from "../parts/notice";
import { linkTo, type Route } from "../route";
import { listOf, membersOf, numberOf, textOf } from "../source/report";
import type { Source } from "../source/source";
import type { Json } from "../source/types";
import { countOf, formatNumber, formatUsd } from "../text/format";
import { plainText, Shown } from "../text/visible";

const PAUSE = 5000;

export function RunsPage({
  source,
  error,
}: {
  source: Source;
  route: Route;
  error: string | null;
}) {
  // A list of many runs takes longer than the pause: it is asked for once at a time.
  const asking = useRef(false);
  const tick = useTick(asking);
  const load = async () => {
    asking.current = true;
    try {
      return await source.loadRuns();
    } finally {
      asking.current = false;
    }
  };
  const { data, error: failed, loading } = useLoaded(load, [source, tick], [source]);
  if (loading)
    return (
      <>
        <h1>Runs</h1>
        <p class="lead" role="status">
          Reading the runs of this folder…
        </p>
      </>
    );
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

/** Runs come and go: the list is read anew while it is seen, and not being read. */
function useTick(busy: RefObject<boolean>): number {
  const [tick, setTick] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a ref is always the same.
  useEffect(() => {
    const timer = setInterval(
      () => document.hidden || busy.current || setTick((ticks) => ticks + 1),
      PAUSE,
    );
    return () => clearInterval(timer);
  }, []);
  return tick;
}

type Run = { [key: string]: Json };

/** Two runs that are ticked are compared. */
function RunsTable({ runs }: { runs: Json[] }) {
  const [ticked, setTicked] = useState<string[]>([]);
  const tick = (name: string) =>
    setTicked((old) =>
      // Of three, the first gives way.
      old.includes(name) ? old.filter((one) => one !== name) : [...old, name].slice(-2),
    );
  const rows = runs.map(membersOf);
  const names = shownNames(rows);
  const [one, other] = ticked;
  // What is known of no run has no column.
  const hasCost = rows.some((run) => numberOf(run["cost_usd"]) !== null);
  return (
    <>
      <p class="note">
        {one !== undefined && other !== undefined ? (
          <a class="button" href={linkTo({ run: one }, "compare", { with: other })}>
            Compare <Shown text={names.get(one) ?? one} /> with{" "}
            <Shown text={names.get(other) ?? other} />
          </a>
        ) : (
          "Tick two runs to compare them."
        )}
      </p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Runs">
        <table class="runs cards">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Answer</th>
              <th scope="col">Data</th>
              <th scope="col">Judge</th>
              <th scope="col">Protocol</th>
              <th scope="col">State</th>
              {hasCost && (
                <th scope="col" class="num">
                  Cost
                </th>
              )}
              <th scope="col">Last used (UTC)</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((run) => (
              <RunRow
                key={nameOf(run)}
                run={run}
                short={names.get(nameOf(run)) ?? nameOf(run)}
                hasCost={hasCost}
                ticked={ticked.includes(nameOf(run))}
                tick={tick}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function nameOf(run: Run): string {
  return textOf(run["name"]) ?? textOf(run["run"]) ?? "";
}

/** What lists and headings call each run, by its name: what it was called by its user, with its name
 * where another run is called so, else its name as short as it can be. */
export function shownNames(runs: Run[]): Map<string, string> {
  const labels = runs.map((run) => textOf(run["label"]));
  const short = shortNames(runs.map(nameOf));
  const shown = runs.map((run, at) => {
    const name = short.get(nameOf(run)) ?? nameOf(run);
    // What is shown where the label is not enough is no other run's name either.
    const full = `${labels[at]} (${name})`;
    return { label: labels[at], name, full, known: new Set([labels[at], nameOf(run), name, full]) };
  });
  const bearers = new Map<string | null | undefined, number>();
  for (const { known } of shown) {
    for (const name of known) bearers.set(name, (bearers.get(name) ?? 0) + 1);
  }
  return new Map(
    runs.map((run, at) => {
      const { label, name, full } = shown[at]!;
      if (!label) return [nameOf(run), name];
      return [nameOf(run), bearers.get(label) === 1 ? label : full];
    }),
  );
}

/** Names without the digest that a run's own name ends in, where they differ without it too. */
function shortNames(names: string[]): Map<string, string> {
  const short = names.map((name) => name.replace(/-[0-9a-f]{10}$/, ""));
  return new Map(
    names.map((name, at) => [
      name,
      short.indexOf(short[at]!) === short.lastIndexOf(short[at]!) ? short[at]! : name,
    ]),
  );
}

/** What is no ranking, by the setting that its run has. */
const KINDS: Record<string, string> = { audit: "audit", study: "study", try: "model tried" };

/** What was judged: items and systems. */
function sayData(run: Run, settings: Run): string {
  const kind = Object.keys(KINDS).find((key) => key in settings);
  if (kind) return KINDS[kind] ?? kind;
  const items = textOf(settings["data"])?.split(", digest")[0] ?? "–";
  const systems = numberOf(run["systems"]) ?? 0;
  return systems ? `${items}, ${countOf(systems, "system", "systems")}` : items;
}

/** How far a run has come, whether a process is at work on it, and what came to no verdict. */
function sayState(run: Run): string {
  const [judgments, verdicts] = [numberOf(run["judgments"]), numberOf(run["verdicts"])];
  const lost = (judgments ?? 0) - (verdicts ?? 0);
  const without = lost > 0 && verdicts ? `, ${formatNumber(lost)} without a verdict` : "";
  return sayProgress(run) + without;
}

function sayProgress(run: Run): string {
  const [planned, judgments] = [numberOf(run["planned"]), numberOf(run["judgments"]) ?? 0];
  const state = textOf(run["state"]);
  const part = `${formatNumber(judgments)} of ${planned === null ? "?" : formatNumber(planned)}`;
  if (state === "running") return judgments || planned !== null ? `live, ${part}` : "live";
  if (state === "failed") return "no verdict";
  if (state === "decided") return `decided, ${part}`;
  if (planned !== null && judgments < planned) return `stopped, ${part}`;
  // An audit or a study keeps no judgments.
  if (state === "complete") return judgments ? `complete, ${formatNumber(judgments)}` : "complete";
  if (state === "stopped") return "stopped";
  return judgments ? formatNumber(judgments) : "–";
}

/** Who leads; what else the answer is, in its own words. */
function Answered({ run }: { run: Run }) {
  const answer = membersOf(run["answer"] ?? null);
  const text = textOf(answer["text"]);
  const leaders = listOf(answer["leaders"]).flatMap((name) => textOf(name) ?? []);
  if (!leaders.length || leaders.length > MOST_LEADERS || answer["kind"] === "all-open")
    return <Shown text={text ?? "–"} />;
  return (
    <span title={plainText(text)}>
      {leaders.map((name, at) => (
        <>
          {at > 0 && ", "}
          <b>
            <Shown text={name} />
          </b>
        </>
      ))}{" "}
      {leaders.length > 1 ? "lead, not separable" : "leads"}
    </span>
  );
}

const MOST_LEADERS = 3;

function RunRow({
  run,
  short,
  hasCost,
  ticked,
  tick,
}: {
  run: Run;
  short: string;
  hasCost: boolean;
  ticked: boolean;
  tick: (name: string) => void;
}) {
  const name = nameOf(run);
  const settings = membersOf(run["settings"]);
  // The members of a panel stand in a line each.
  const setting = (key: string) => (
    <Shown text={textOf(settings[key])?.replaceAll("\n", ", ") ?? "–"} />
  );
  const state = sayState(run);
  return (
    <tr>
      <th scope="row">
        <input
          type="checkbox"
          checked={ticked}
          aria-label={plainText(`Compare ${name}`)}
          onChange={() => tick(name)}
        />{" "}
        <a href={linkTo({ run: name }, "ranking")} title={plainText(name)}>
          <Shown text={short} />
        </a>
      </th>
      <td data-label="Answer">
        <Answered run={run} />
      </td>
      <td data-label="Data">
        <Shown text={sayData(run, settings)} />
      </td>
      <td data-label="Judge">{setting("judge")}</td>
      <td data-label="Protocol">{setting("protocol")}</td>
      <td data-label="State">
        <span class={state.startsWith("live") ? "live" : ""}>{state}</span>
      </td>
      {hasCost && (
        <td data-label="Cost" class="num">
          {formatUsd(numberOf(run["cost_usd"]))}
        </td>
      )}
      <td data-label="Last used">
        <Shown text={textOf(run["last_used"]) ?? "–"} />
      </td>
    </tr>
  );
}
