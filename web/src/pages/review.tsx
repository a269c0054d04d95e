import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys, usePage } from "../context";
import { GenericReport } from "../parts/generic";
import { Notice } from "../parts/notice";
import { membersOf, numberOf, textOf } from "../source/report";
import type { Json } from "../source/types";
import { formatNumber } from "../text/format";
import { Markdown } from "../text/markdown";
import { Shown } from "../text/visible";

let annotator = "";

export function ReviewPage() {
  const [name, setName] = useState(annotator);
  if (!name) return <AskName done={(given) => { annotator = given; setName(given); }} />;
  return <Desk key={name} name={name} leave={() => { annotator = ""; setName(""); }} />;
}

function AskName({ done }: { done: (name: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const send = (event: Event) => {
    event.preventDefault();
    const name = input.current?.value.trim() ?? "";
    if (name) done(name);
  };
  return (
    <>
      <h1>Review</h1>
      <p class="lead">You will see two responses without their systems, on sides drawn at random. Your name keeps your labels apart from those of others.</p>
      <form class="filters" onSubmit={send}><label><span>Your name</span><input ref={input} name="annotator" required maxLength={80} autocomplete="off" /></label><button type="submit">Begin</button></form>
    </>
  );
}

type Members = { [key: string]: Json };

const CHOICES: [string, string, string][] = [["1", "left", "Left is better"], ["0", "tie", "Tie"], ["b", "both-bad", "Both bad"], ["2", "right", "Right is better"]];

function Desk({ name, leave }: { name: string; leave: () => void }) {
  const { source } = usePage();
  const [task, setTask] = useState<Members | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [done, setDone] = useState(0);
  const [busy, setBusy] = useState(false);
  const comment = useRef<HTMLTextAreaElement>(null);
  const review = source.review;
  const work = async (step: () => Promise<unknown>) => {
    if (busy || !review) return;
    setBusy(true);
    try {
      await step();
      setTask(membersOf(await review.get("next", { annotator: name })));
      setError(null);
      if (comment.current) comment.current.value = "";
      setDone((times) => times + 1);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    setBusy(false);
  };
  useEffect(() => void work(async () => undefined), []);
  const item = membersOf(task?.["task"] ?? null);
  const shown = Object.keys(item).length ? item : (task ?? {});
  const id = shown["id"] ?? shown["trial"] ?? null;
  const label = (choice: string) => work(() => review!.post("label", { annotator: name, id, choice, comment: comment.current?.value || null }));
  const undo = () => work(() => review!.post("undo", { annotator: name }));
  useKeys((key) => {
    const choice = CHOICES.find(([wanted]) => wanted === key);
    if (choice && id !== null) void label(choice[1]);
    else if (key === "u") void undo();
    else if (key === "c") comment.current?.focus();
    else return false;
    return true;
  });
  return (
    <>
      <h1>Review</h1>
      <p class="note">Judging as <b><Shown text={name} /></b> · <button type="button" class="quiet" onClick={leave}>another name</button> <Progress task={task} /></p>
      {error && <Notice kind="error"><Shown text={error} /> Nothing that was saved is lost; try again.</Notice>}
      {id === null ? task && <p class="lead" role="status">Nothing is left to judge for you. Thank you.</p> : <Task shown={shown} />}
      <div class="choices" role="group" aria-label="Your judgment">
        {id !== null && CHOICES.map(([key, choice, text]) => <button key={key} type="button" disabled={busy} onClick={() => void label(choice)}>{text} <kbd>{key}</kbd></button>)}
        <button type="button" class="quiet" disabled={busy} onClick={() => void undo()}>Undo <kbd>u</kbd></button>
      </div>
      {id !== null && <label class="comment"><span>Comment <kbd>c</kbd></span><textarea ref={comment} rows={2} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} /></label>}
      <Standing changed={done} />
    </>
  );
}

function Progress({ task }: { task: Members | null }) {
  const [labelled, left] = [numberOf(task?.["done"] ?? task?.["labelled"]), numberOf(task?.["left"])];
  if (labelled === null && left === null) return null;
  return <> · {labelled !== null && `${formatNumber(labelled)} done`}{left !== null && `, ${formatNumber(left)} left`}</>;
}

function Task({ shown }: { shown: Members }) {
  const item = membersOf(shown["item"]);
  return (
    <>
      <section class="card"><h2>Instruction</h2><Markdown text={textOf(item["text"]) ?? textOf(shown["instruction"]) ?? ""} /></section>
      <div class="sides">{(["left", "right"] as const).map((side) => <section class="card" key={side}><h2>{side === "left" ? "Left" : "Right"}</h2><Markdown text={textOf(shown[side]) ?? textOf(membersOf(shown[side])["text"]) ?? ""} /></section>)}</div>
    </>
  );
}

/** Agreement, the corrected ranking and what to adjudicate, read anew after every label. */
function Standing({ changed }: { changed: number }) {
  const { source } = usePage();
  const [open, setOpen] = useState(false);
  const [summary, setSummary] = useState<Json>(null);
  const [disagreements, setDisagreements] = useState<Json>(null);
  useEffect(() => {
    if (!open || !source.review) return;
    source.review.get("summary", {}).then(setSummary, () => undefined);
    source.review.get("disagreements", {}).then(setDisagreements, () => undefined);
  }, [open, changed]);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Agreement, corrected ranking and disagreements</summary>
      <h2>Agreement and ranking</h2><GenericReport value={summary} />
      <h2>To adjudicate</h2><GenericReport value={disagreements} />
    </details>
  );
}
