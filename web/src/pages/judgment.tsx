import { useEffect } from "preact/hooks";
import { useKeys, useLoaded, usePage } from "../context";
import { Bar, Flags, OrderCell, OutcomeText } from "../parts/cell";
import { filtersOf } from "../parts/filters";
import { LooksView } from "../parts/looks";
import { Notice } from "../parts/notice";
import { changeQuery, linkTo } from "../route";
import type { Source } from "../source/source";
import type { Call, Detail, Json, Row } from "../source/types";
import { DiffSide } from "../text/diff";
import { countOf, formatNumber, formatPercent, formatUsd } from "../text/format";
import { Markdown } from "../text/markdown";
import { Shown } from "../text/visible";
import { GenericReport } from "../parts/generic";

export function JudgmentPage() {
  const { source, overview, route } = usePage();
  const trial = Number(route.argument);
  const { data, error } = useLoaded(() => loadBothOrders(source, trial), [source, trial, overview.version], [source, trial]);
  if (error && !data) return <Notice kind="error"><Shown text={error} /></Notice>;
  if (!data) return <p class="loading" role="status">Reading…</p>;
  return (
    <>
      <Neighbours row={data[0]!.row} />
      <Head row={data[0]!.row} />
      <Texts detail={data[0]!} />
      <h2>{data.length > 1 ? "Both orders" : "The judgment"}</h2>
      <div class="orders">{data.map((detail) => <Order key={detail.trial} detail={detail} />)}</div>
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
  const { data } = useLoaded(() => loadNeighbours(source, query, at), [source, query, at, overview.version], [source, query, at]);
  const open = (step: -1 | 1): string | null => {
    const found = step < 0 ? data?.before : data?.after;
    return found && at !== null ? linkTo(route, `judgment/${found.id}`, changeQuery(route.query, { at: String(at + step) })) : null;
  };
  const back = linkTo(route, "judgments", route.query);
  useKeys((key) => {
    const target = key === "j" ? open(1) : key === "k" ? open(-1) : key === "u" || key === "Escape" ? back : null;
    if (target) location.hash = target;
    return target !== null;
  });
  useEffect(() => scrollTo(0, 0), [row.id]);
  return (
    <nav class="neighbours" aria-label="Neighbouring judgments">
      <a href={back}>All judgments</a>
      {at !== null && data && <span>{formatNumber(at + 1)} of {formatNumber(data.total)}</span>}
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
      <h1><Shown text={row.item} /></h1>
      <p class="lead">{sayOutcome(row)} <Flags row={row} /></p>
      <dl class="facts">
        {row.category !== null && <div><dt>Category</dt><dd><Shown text={row.category} /></dd></div>}
        <div><dt>Outcome</dt><dd><OutcomeText row={row} /></dd></div>
        {row.confidence !== null && <div><dt>Confidence</dt><dd>{formatPercent(row.confidence)}</dd></div>}
        {row.people !== null && <div><dt>People</dt><dd>{row.people === "tie" ? "tie" : <Shown text={row.people === "a" ? row.a : row.b} />}</dd></div>}
        <div><dt>Tokens</dt><dd>{formatNumber(row.tokens)}</dd></div>
        <div><dt>Cost</dt><dd>{formatUsd(row.cost)}</dd></div>
      </dl>
    </>
  );
}

function sayOutcome(row: Row) {
  if (row.b === null) return row.score === null ? "There is no verdict." : <>The score is {formatNumber(row.score, 2)}.</>;
  if (row.flipped) return "The verdict changes with the order in which the responses are shown.";
  if (row.outcome === "none") return "There is no verdict.";
  if (row.outcome === "tie") return "The judge sees a tie.";
  const both = row.ab?.p && row.ba?.p;
  return <>The judge prefers <b><Shown text={row.outcome === "a" ? row.a : row.b} /></b>{both ? " over both orders" : ""}.</>;
}

const MODES: [string, string][] = [["", "Markdown"], ["text", "Plain text"], ["diff", "Word diff"]];

function Texts({ detail }: { detail: Detail }) {
  const { route } = usePage();
  const mode = route.query.get("as") ?? "";
  const link = (value: string) => linkTo(route, `judgment/${detail.trial}`, changeQuery(route.query, { as: value || null }));
  const modes = detail.responses.length === 2 ? MODES : MODES.slice(0, 2);
  return (
    <>
      <section class="card"><h2>Instruction</h2>{mode === "" ? <Markdown text={detail.item.text ?? ""} /> : <pre class="plain"><Shown text={detail.item.text ?? ""} /></pre>}
        {detail.item.reference != null && <details><summary>Reference answer</summary><pre class="plain"><Shown text={detail.item.reference} /></pre></details>}
      </section>
      <nav class="modes" aria-label="How responses are shown">{modes.map(([value, label]) => <a key={value} href={link(value)} aria-current={value === mode ? "true" : undefined}>{label}</a>)}</nav>
      <div class="sides">{detail.responses.map((response, index) => (
        <section class="card" key={index}>
          <h2><span class={`key ${slotKey(detail, index)}`}>{slotKey(detail, index).toUpperCase()}</span> <Shown text={response.system} /></h2>
          <ResponseText detail={detail} index={index} mode={mode} />
        </section>
      ))}</div>
    </>
  );
}

/** The letter of a slot's system in its row. */
function slotKey(detail: Detail, index: number): string {
  if (detail.row.systems) return String(index + 1);
  return detail.responses[index]?.system === detail.row.a ? "a" : "b";
}

function ResponseText({ detail, index, mode }: { detail: Detail; index: number; mode: string }) {
  const text = detail.responses[index]?.text ?? "";
  if (mode === "diff" && detail.responses.length === 2) {
    return <DiffSide one={detail.responses[0]!.text} other={detail.responses[1]!.text} side={index ? "right" : "left"} />;
  }
  return mode === "text" ? <pre class="plain"><Shown text={text} /></pre> : <Markdown text={text} />;
}

function Order({ detail }: { detail: Detail }) {
  const first = detail.responses[0]?.system;
  const swapped = detail.row.b !== null && first === detail.row.b && first !== detail.row.a;
  return (
    <section class="card order-card">
      <h3><Shown text={first ?? ""} /> {detail.responses.length > 1 && "shown first"} <small>judgment {detail.trial}</small></h3>
      <p><OrderCell cell={detail.outcome} swapped={swapped} /></p>
      {detail.outcome.p && <Probabilities detail={detail} />}
      {detail.detail !== null && <Notice kind="warning"><Shown text={detail.detail} /></Notice>}
      <LooksView detail={detail} />
      {detail.calls.map((call, index) => <CallView key={index} call={call} number={detail.calls.length > 1 ? index + 1 : null} />)}
    </section>
  );
}

function Probabilities({ detail }: { detail: Detail }) {
  const labels = [detail.responses[0]?.system, "tie", detail.responses[1]?.system];
  return (
    <table class="probabilities"><tbody>{detail.outcome.p?.map((share, index) => (
      <tr key={index}><th scope="row"><Shown text={labels[index] ?? ""} /></th><td><Bar a={index === 1 ? 0 : share} tie={index === 1 ? share : 0} b={0} /></td><td class="num">{formatPercent(share, 1)}</td></tr>
    ))}</tbody></table>
  );
}

function CallView({ call, number }: { call: Call; number: number | null }) {
  return (
    <div class="call">
      <h4>{number === null ? "The judge's words" : `Call ${number}`}</h4>
      {call.error !== null && <Notice kind="error"><Shown text={call.error} /></Notice>}
      {call.reply && <pre class="plain words"><Shown text={call.reply.text || "(no text)"} /></pre>}
      <p class="note"><Shown text={call.judge} />{sayTokens(call)}{call.reply?.finish ? <> · ended by <Shown text={call.reply.finish} /></> : null}{call.attempt > 0 && ` · attempt ${call.attempt + 1}`}{call.cost !== null && ` · ${formatUsd(call.cost)}`}</p>
      <details><summary>The prompt as sent ({countOf(call.messages.length, "message", "messages")})</summary>
        {call.messages.map((message, index) => <div key={index}><h5><Shown text={message.role} /></h5><pre class="plain"><Shown text={typeof message.content === "string" ? message.content : JSON.stringify(message.content)} /></pre></div>)}
        {call.task != null && <GenericReport value={call.task} />}
      </details>
    </div>
  );
}

function sayTokens(call: Call): string {
  const numbers = Object.entries(call.tokens ?? {}).filter(([, value]) => typeof value === "number" && value > 0);
  return numbers.length ? ` · tokens: ${numbers.map(([name, value]) => `${formatNumber(Number(value))} ${name.replaceAll("_", " ")}`).join(", ")}` : "";
}

function Others({ detail }: { detail: Detail }) {
  if (!detail.others.length) return null;
  return (
    <section><h2>The same pair in other runs</h2>
      <table><tbody>{detail.others.map((other, index) => <tr key={index}><th scope="row"><a href={linkTo({ run: other.run }, `judgment/${other.trial}`)}><Shown text={other.run} /></a></th><td><GenericReport value={other.outcome as Json} /></td></tr>)}</tbody></table>
    </section>
  );
}
