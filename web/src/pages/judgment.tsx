import { useEffect } from "preact/hooks";
import { useKeys, useLoaded, usePage } from "../context";
import { Calls } from "../parts/calls";
import { Bar, firstOfList, Flags, Named, OrderCell, OutcomeText } from "../parts/cell";
import { filtersOf } from "../parts/filters";
import { LooksView } from "../parts/looks";
import { Notice } from "../parts/notice";
import { SaidList } from "../parts/said";
import { type Members, rowsOf } from "../reports/measure";
import { changeQuery, linkTo } from "../route";
import type { Source } from "../source/source";
import type { Cell, Detail, ResponseOf, Row } from "../source/types";
import { DiffSide } from "../text/diff";
import { formatNumber, formatPercent, formatUsd } from "../text/format";
import { Written } from "../text/markdown";
import { Shown } from "../text/visible";
import { TrajectoryView, Turns } from "../parts/turns";

export function JudgmentPage() {
  const { source, overview, route } = usePage();
  const trial = Number(route.argument);
  const { data, error } = useLoaded(
    () => loadBothOrders(source, trial),
    [source, trial, overview.version],
    [source, trial],
  );
  if (error && !data)
    return (
      <Notice kind="error">
        <Shown text={error} />
      </Notice>
    );
  if (!data)
    return (
      <p class="loading" role="status">
        Reading…
      </p>
    );
  return (
    <>
      <Neighbours row={data[0]!.row} />
      <Head row={data[0]!.row} />
      <Texts detail={data[0]!} />
      <h2>{data.length > 1 ? "Both orders" : "The judgment"}</h2>
      <div class="orders">
        {data.map((detail) => (
          <Order key={detail.trial} detail={detail} />
        ))}
      </div>
      <People said={rowsOf(data[0]!.said)} />
      <Others detail={data[0]!} />
    </>
  );
}

/** Loads the judgment and that of the other order; the one that shows A first comes first. */
async function loadBothOrders(source: Source, trial: number): Promise<Detail[]> {
  const detail = await source.loadJudgment(trial);
  const other = [detail.row.ab, detail.row.ba].find((cell) => cell && cell.trial !== detail.trial);
  if (!other) return [detail];
  const found = await source.loadJudgment(other.trial);
  return detail.row.ab?.trial === detail.trial ? [detail, found] : [found, detail];
}

function Neighbours({ row }: { row: Row }) {
  const { source, overview, route } = usePage();
  const at = route.query.get("at") === null ? null : Number(route.query.get("at"));
  const query = filtersOf(route.query).toString();
  const { data } = useLoaded(
    () => loadNeighbours(source, query, at),
    [source, query, at, overview.version],
    [source, query, at],
  );
  const open = (step: -1 | 1): string | null => {
    const found = step < 0 ? data?.before : data?.after;
    return found && at !== null
      ? linkTo(route, `judgment/${found.id}`, changeQuery(route.query, { at: String(at + step) }))
      : null;
  };
  const back = linkTo(route, "judgments", route.query);
  useKeys((key) => {
    const target =
      key === "j"
        ? open(1)
        : key === "k"
          ? open(-1)
          : key === "u" || key === "Escape"
            ? back
            : null;
    if (target) location.hash = target;
    return target !== null;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: every judgment begins at its top.
  useEffect(() => scrollTo(0, 0), [row.id]);
  return (
    <nav class="neighbours" aria-label="Neighbouring judgments">
      <a href={back}>All judgments</a>
      {at !== null && data && (
        <span>
          {formatNumber(at + 1)} of {formatNumber(data.total)}
        </span>
      )}
      {open(-1) && <a href={open(-1)!}>Previous (k)</a>}
      {open(1) && <a href={open(1)!}>Next (j)</a>}
    </nav>
  );
}

async function loadNeighbours(source: Source, query: string, at: number | null) {
  if (at === null) return null;
  const limits = new URLSearchParams(query);
  const offset = Math.max(0, at - 1);
  limits.set("offset", String(offset));
  limits.set("limit", "3");
  const { rows, total } = await source.loadRows(limits.toString());
  return { before: at > 0 ? rows[0] : undefined, after: rows[at - offset + 1], total };
}

function Head({ row }: { row: Row }) {
  return (
    <>
      <h1>
        <Shown text={row.item} />
      </h1>
      <p class="lead">
        {sayOutcome(row)} <Flags row={row} />
      </p>
      <dl class="facts">
        {row.category !== null && (
          <div>
            <dt>Category</dt>
            <dd>
              <Shown text={row.category} />
            </dd>
          </div>
        )}
        <div>
          <dt>Outcome</dt>
          <dd>
            <OutcomeText row={row} />
          </dd>
        </div>
        {row.confidence !== null && (
          <div>
            <dt>Confidence</dt>
            <dd>{formatPercent(row.confidence)}</dd>
          </div>
        )}
        {row.people !== null && (
          <div>
            <dt>People</dt>
            <dd>
              {row.people === "tie" ? "tie" : <Shown text={row.people === "a" ? row.a : row.b} />}
            </dd>
          </div>
        )}
        {row.replicate > 0 && (
          <div>
            <dt>Repetition</dt>
            <dd>{row.replicate}</dd>
          </div>
        )}
        {row.tokens > 0 && (
          <div>
            <dt>Tokens</dt>
            <dd>{formatNumber(row.tokens)}</dd>
          </div>
        )}
        {row.cost !== null && (
          <div>
            <dt>Cost</dt>
            <dd>{formatUsd(row.cost)}</dd>
          </div>
        )}
      </dl>
    </>
  );
}

function sayOutcome(row: Row) {
  const first = firstOfList(row);
  if (first !== null)
    return (
      <>
        The judge puts{" "}
        <b>
          <Shown text={first} />
        </b>{" "}
        first of {row.systems?.length}.
      </>
    );
  if (row.b === null)
    return row.score === null ? (
      "There is no verdict."
    ) : (
      <>The score is {formatNumber(row.score, 2)}.</>
    );
  if (row.flipped) return "The verdict changes with the order in which the responses are shown.";
  if (row.outcome === "none") return "There is no verdict.";
  if (row.outcome === "tie") return "The judge sees a tie.";
  const both = row.ab?.p && row.ba?.p;
  return (
    <>
      The judge prefers{" "}
      <b>
        <Shown text={row.outcome === "a" ? row.a : row.b} />
      </b>
      {both ? " over both orders" : ""}.
    </>
  );
}

const MODES: [string, string][] = [
  ["", "Markdown"],
  ["text", "Plain text"],
  ["diff", "Word diff"],
];

function Texts({ detail }: { detail: Detail }) {
  const { route } = usePage();
  const mode = route.query.get("as") ?? "";
  const link = (value: string) =>
    linkTo(route, `judgment/${detail.trial}`, changeQuery(route.query, { as: value || null }));
  const shown = inOrderOfRow(detail);
  const modes = shown.length === 2 ? MODES : MODES.slice(0, 2);
  return (
    <>
      <section class="card">
        <h2>Instruction</h2>
        {detail.item.turns && <Turns title="The whole conversation" turns={detail.item.turns} />}
        <Written text={detail.item.text} plain={mode !== ""} />
        {detail.item.reference !== null && (
          <details>
            <summary>Reference answer</summary>
            <pre class="plain">
              <Shown text={detail.item.reference} />
            </pre>
          </details>
        )}
      </section>
      <nav class="modes" aria-label="How responses are shown">
        {modes.map(([value, label]) => (
          <a key={value} href={link(value)} aria-current={value === mode ? "true" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div class="sides">
        {shown.map((response, index) => (
          <section class="card" key={index}>
            <h2>
              <Place row={detail.row} system={response.system} />
            </h2>
            {response.turns && <Turns title="Earlier turns" turns={response.turns} />}
            {response.trajectory && <TrajectoryView trajectory={response.trajectory} />}
            <ResponseText texts={shown.map(({ text }) => text)} index={index} mode={mode} />
          </section>
        ))}
      </div>
    </>
  );
}

/** System A stands at the left, whichever was shown first. */
function inOrderOfRow({ row, responses }: Detail): ResponseOf[] {
  const isTurned =
    row.b !== null && row.a !== row.b && responses.length === 2 && responses[0]?.system === row.b;
  return isTurned ? [...responses].reverse() : responses;
}

/** A system of a row by its name: in its colour in a pair, with its place in a list. */
function Place({ row, system }: { row: Row; system: string }) {
  if (!row.systems) return <Named row={row} system={system} />;
  const place = slotKey(row, system);
  return (
    <>
      <span class={`key ${place}`}>{place}</span> <Shown text={system} />
    </>
  );
}

/** Which side of its row a system is, or its place in a list. */
function slotKey(row: Row, system: string): string {
  if (row.systems) return String(row.systems.indexOf(system) + 1);
  return system === row.a ? "a" : "b";
}

function ResponseText({ texts, index, mode }: { texts: string[]; index: number; mode: string }) {
  const text = texts[index] ?? "";
  if (mode === "diff" && texts.length === 2)
    return <DiffSide one={texts[0]!} other={texts[1]!} side={index ? "right" : "left"} />;
  if (text === "") return <p class="note">Its text is not kept.</p>;
  return <Written text={text} plain={mode === "text"} />;
}

function Order({ detail }: { detail: Detail }) {
  const first = detail.responses[0]?.system ?? "";
  const { outcome } = detail;
  return (
    <section class="card order-card">
      <h3>
        <Shown text={first} /> {detail.responses.length > 1 && "shown first"}{" "}
        <small>judgment {detail.trial}</small>
      </h3>
      {outcome.p ? (
        <Probabilities detail={detail} />
      ) : outcome.places ? (
        <Places detail={detail} />
      ) : (
        <p>
          <OrderCell row={detail.row} cell={outcome} swapped={false} />
        </p>
      )}
      {detail.detail !== null && (
        <Notice kind="warning">
          <Shown text={detail.detail} />
        </Notice>
      )}
      <LooksView detail={detail} />
      <Calls detail={detail} />
    </section>
  );
}

function Probabilities({ detail }: { detail: Detail }) {
  const labels = [detail.responses[0]?.system ?? "", null, detail.responses[1]?.system ?? ""];
  return (
    <table class="probabilities">
      <tbody>
        {detail.outcome.p?.map((share, index) => {
          const key = labels[index] == null ? "tie" : slotKey(detail.row, labels[index]);
          return (
            <tr key={index}>
              <th scope="row">
                {labels[index] == null ? "tie" : <Place row={detail.row} system={labels[index]} />}
              </th>
              <td>
                <Bar
                  a={key === "a" ? share : 0}
                  tie={key === "tie" ? share : 0}
                  b={key === "b" ? share : 0}
                />
              </td>
              <td class="num">{formatPercent(share, 1)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Places({ detail }: { detail: Detail }) {
  const placed = detail.responses.map(({ system }, index) => ({
    system,
    place: detail.outcome.places?.[index] ?? 0,
  }));
  return (
    <table>
      <thead>
        <tr>
          <th scope="col" class="num">
            Place
          </th>
          <th scope="col">System</th>
        </tr>
      </thead>
      <tbody>
        {placed
          .sort((one, other) => one.place - other.place)
          .map(({ system, place }, index) => (
            <tr key={index}>
              <td class="num">{formatNumber(place, Number.isInteger(place) ? 0 : 1)}</td>
              <td>
                <Shown text={system} />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** What people said here of the pair, each under a name. */
function People({ said }: { said: Members[] }) {
  if (!said.length) return null;
  return (
    <section>
      <h2>What people prefer</h2>
      <SaidList said={said} />
    </section>
  );
}

function Others({ detail }: { detail: Detail }) {
  if (!detail.others.length) return null;
  return (
    <section>
      <h2>The same pair in other runs</h2>
      <table>
        <tbody>
          {detail.others.map((other, index) => (
            <tr key={index}>
              <th scope="row">
                <a href={linkTo({ run: other.run }, `judgment/${other.trial}`)}>
                  <Shown text={other.run} />
                </a>
              </th>
              <td>judgment {other.trial}</td>
              <td>
                <OtherOutcome row={detail.row} first={other.first} outcome={other.outcome} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A verdict of another run, by the names of its systems and in their colours here. */
function OtherOutcome({ row, first, outcome }: { row: Row; first: string | null; outcome: Cell }) {
  if (row.b === null || typeof first !== "string" || !outcome.p)
    return <OrderCell row={row} cell={outcome} swapped={false} />;
  const second = first === row.a ? row.b : row.a;
  return (
    <>
      <Named row={row} system={first} /> (shown first) {formatPercent(outcome.p[0])}, tie{" "}
      {formatPercent(outcome.p[1])}, <Named row={row} system={second} />{" "}
      {formatPercent(outcome.p[2])}
    </>
  );
}
