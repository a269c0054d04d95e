import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../context";
import { Notice } from "../parts/notice";
import { TrajectoryView, Turns } from "../parts/turns";
import { type ReviewSource, SourceError } from "../source/source";
import { formatNumber } from "../text/format";
import { Written } from "../text/markdown";
import { Shown } from "../text/visible";
import { type Choice, drawKey, type Outbox } from "./outbox";
import { Standing } from "./standing";
import { type Next, readNext, type Task } from "./task";

const RETRY = 2000;

export const CHOICES: [string, Choice, string][] = [
  ["1", "left", "is better"],
  ["0", "tie", "Tie"],
  ["b", "both-bad", "Both bad"],
  ["2", "right", "is better"],
  ["s", "skip", "Skip"],
];

export const QUEUES: [string, string][] = [
  ["random", "at random"],
  ["uncertain", "what the judge is least certain of"],
  ["disagreed", "where judge or people disagree"],
  ["adjudicate", "to adjudicate"],
];

/** Where one person judges pair after pair; `blind` leaves out all that is not the pairs of the
 * review. */
export function Desk({
  name,
  review,
  outbox,
  blind = false,
}: {
  name: string;
  review: ReviewSource;
  outbox: Outbox;
  blind?: boolean;
}) {
  // Until somebody chooses, the review's own pairs.
  const [queue, setQueue] = useState("");
  const [turn, setTurn] = useState(0);
  const [plain, setPlain] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const comment = useRef<HTMLTextAreaElement>(null);
  useOutbox(outbox, (why) => {
    setRefusal(why);
    setTurn((turns) => turns + 1);
    if (why === null && comment.current) comment.current.value = "";
  });
  const { next, trouble, fresh } = useNext(review, name, queue, turn, outbox.size === 0);
  const task = next?.task ?? null;
  const sent = outbox.waiting.find(({ id }) => id === task?.id) ?? null;
  const label = (choice: Choice) => {
    if (!task || sent || !fresh) return;
    setRefusal(null);
    outbox.add({
      path: "label",
      body: {
        annotator: name,
        id: task.id,
        draw: task.draw,
        choice,
        comment: comment.current?.value.trim() || null,
        queue: next?.queue ?? queue,
        key: drawKey(),
      },
    });
  };
  // The review alone is not told what was said under a name: there, this tab knows what it said.
  const last = blind ? outbox.lastSaid(name) : (next?.last?.key ?? null);
  const undo = () => {
    const key = outbox.waiting.at(-1)?.key ?? (fresh ? last : null);
    if (key) outbox.undo(name, key);
  };
  useKeys((key) => {
    const choice = CHOICES.find(([wanted]) => wanted === key);
    if (choice) label(choice[1]);
    else if (key === "u") undo();
    else if (key === "c") comment.current?.focus();
    else return false;
    return true;
  });
  return (
    <>
      {!blind && (
        <Standing review={review} changed={turn} adjudicate={() => setQueue("adjudicate")} />
      )}
      <Progress next={next} choose={blind ? null : setQueue} />
      <Unsaved outbox={outbox} />
      {trouble && !outbox.size && (
        <Notice kind="error">
          <Shown text={trouble} />
        </Notice>
      )}
      {refusal && (
        <Notice kind="error">
          <Shown text={refusal} />
        </Notice>
      )}
      {!next ? (
        <p role="status">Reading…</p>
      ) : task ? (
        <Pair key={`${task.id} ${task.draw}`} task={task} plain={plain} write={setPlain} />
      ) : (
        <p class="lead" role="status">
          {sayEnd(next)}
        </p>
      )}
      <div class="choices" role="group" aria-label="Your judgment">
        {task &&
          CHOICES.map(([key, choice, text]) => (
            <button
              key={key}
              type="button"
              class={choice === "skip" ? "quiet" : sent?.choice === choice ? "sent" : ""}
              disabled={sent !== null}
              onClick={() => label(choice)}
            >
              <Chosen choice={choice} text={text} /> <kbd>{key}</kbd>
            </button>
          ))}
        <button
          type="button"
          class="quiet"
          disabled={!outbox.waiting.length && !last}
          onClick={undo}
        >
          Undo <kbd>u</kbd>
        </button>
      </div>
      {task && (
        <label class="comment">
          <span>
            Comment <kbd>c</kbd> (Escape leaves it)
          </span>
          <textarea
            ref={comment}
            rows={2}
            maxLength={4000}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
        </label>
      )}
    </>
  );
}

/** Says that all pairs were seen, and how many of them were judged. */
function sayEnd({ done, skipped, queue }: Next): string {
  if (queue === "adjudicate" || done + skipped === 0)
    return "Nothing is left here for you to judge. Thank you.";
  const all = formatNumber(done + skipped);
  return skipped
    ? `All ${all} pairs are seen: ${formatNumber(done)} judged, ${formatNumber(skipped)} skipped. Thank you.`
    : `Done, ${all} of ${all}. Thank you.`;
}

/** Draws anew when the box changes; says how each message ended. */
function useOutbox(outbox: Outbox, ended: (refusal: string | null) => void): void {
  const [, redraw] = useState(0);
  const latest = useRef(ended);
  latest.current = ended;
  useEffect(() => {
    outbox.listen({
      changed: () => redraw((times) => times + 1),
      done: (_, refusal) => latest.current(refusal),
    });
    void outbox.send();
    const warn = (event: BeforeUnloadEvent) => outbox.size && event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => {
      outbox.listen(null);
      removeEventListener("beforeunload", warn);
    };
  }, [outbox]);
}

/** Loads the next pair once everything is saved, and tries again while the server does not answer.
 * Until then the last one is shown, and no longer fresh. */
function useNext(
  review: ReviewSource,
  name: string,
  queue: string,
  turn: number,
  ready: boolean,
): { next: Next | null; trouble: string | null; fresh: boolean } {
  const [state, setState] = useState<{
    next: Next | null;
    trouble: string | null;
    queue: string;
    turn: number;
  }>({ next: null, trouble: null, queue, turn });
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` asks once more.
  useEffect(() => {
    if (!ready) return;
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    review.get("next", { annotator: name, queue }).then(
      (answer) => current && setState({ next: readNext(answer), trouble: null, queue, turn }),
      (error: unknown) => {
        if (!current) return;
        setState((old) => ({
          ...old,
          trouble: error instanceof Error ? error.message : String(error),
        }));
        if (!(error instanceof SourceError) || error.status === 0)
          timer = setTimeout(() => setTries((times) => times + 1), RETRY);
      },
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [review, name, queue, turn, ready, tries]);
  const fresh = state.queue === queue && state.turn === turn;
  return { next: state.queue === queue ? state.next : null, trouble: state.trouble, fresh };
}

function Progress({
  next,
  choose,
}: {
  next: Next | null;
  choose: ((queue: string) => void) | null;
}) {
  const all = next ? next.done + next.left : 0;
  return (
    <div class="review-head">
      {choose && (
        <label>
          <span>Pairs</span>{" "}
          <select value={next?.queue ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
            {QUEUES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      )}
      {next && (
        <>
          <progress max={Math.max(1, all)} value={next.done} aria-label="Judged" />{" "}
          <span role="status">
            {formatNumber(next.done)} done, {formatNumber(next.left)} left
            {next.skipped > 0 && `, ${formatNumber(next.skipped)} skipped`}
          </span>
        </>
      )}
    </div>
  );
}

function Unsaved({ outbox }: { outbox: Outbox }) {
  if (!outbox.size || outbox.trouble === null) return null;
  const count = outbox.waiting.length;
  return (
    <Notice kind="warning">
      {count ? `${formatNumber(count)} not saved yet` : "The undo is not saved yet"}:{" "}
      <Shown text={outbox.trouble} /> It is sent again until it is saved; do not close this tab.
    </Notice>
  );
}

function Pair({
  task,
  plain,
  write,
}: {
  task: Task;
  plain: boolean;
  write: (plain: boolean) => void;
}) {
  useEffect(() => scrollTo(0, 0), []);
  return (
    <>
      <div class="modes" role="group" aria-label="How texts are shown">
        {[false, true].map((as) => (
          <button
            key={String(as)}
            type="button"
            class="quiet"
            aria-pressed={as === plain}
            onClick={() => write(as)}
          >
            {as ? "Plain text" : "Markdown"}
          </button>
        ))}
      </div>
      <section class="card">
        <h2>Instruction</h2>
        {task.item.turns !== null && (
          <Turns title="The whole conversation" turns={task.item.turns} />
        )}
        <Written text={task.item.text} plain={plain} />
        {task.item.reference !== null && (
          <details>
            <summary>Reference answer</summary>
            <pre class="plain">
              <Shown text={task.item.reference} />
            </pre>
          </details>
        )}
      </section>
      {task.said.length > 0 && <Said said={task.said} />}
      <div class="sides pair">
        {(["left", "right"] as const).map((side) => (
          <section class="card" key={side}>
            <h2>
              <Seat side={side} />
            </h2>
            {task[side].turns !== null && <Turns title="Earlier turns" turns={task[side].turns} />}
            {task[side].trajectory !== null && (
              <TrajectoryView trajectory={task[side].trajectory} />
            )}
            <Written text={task[side].text} plain={plain} />
          </section>
        ))}
      </div>
    </>
  );
}

/** Where a response stands: on a narrow screen, one stands above the other. */
function Seat({ side }: { side: "left" | "right" }) {
  const [beside, stacked] = side === "left" ? ["Left", "Above"] : ["Right", "Below"];
  return (
    <>
      <span class="if-beside">{beside}</span>
      <span class="if-stacked">{stacked}</span>{" "}
    </>
  );
}

/** What others said of a pair that is to be adjudicated. */
function Said({ said }: { said: Task["said"] }) {
  return (
    <ul class="said">
      {said.map((one, index) => (
        <li key={index}>
          <b>
            <Shown text={one.annotator} />
          </b>
          : <Chosen choice={one.choice} text={sayChoice(one.choice)} />
          {one.comment !== null && (
            <>
              {" "}
              – <Shown text={one.comment} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A choice in words: of one of the two, where it stands. */
function Chosen({ choice, text }: { choice: string; text: string }) {
  return (
    <>
      {(choice === "left" || choice === "right") && <Seat side={choice} />}
      {text}
    </>
  );
}

function sayChoice(choice: string): string {
  return (CHOICES.find(([, known]) => known === choice)?.[2] ?? choice).toLowerCase();
}
