import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePage } from "../context";
import { Desk } from "../review/desk";
import { type Keep, Outbox } from "../review/outbox";
import { Standing } from "../review/standing";
import type { ReviewSource } from "../source/source";
import { Shown } from "../text/visible";

const NAME = "evenhand-review-name";

/** People judge here, blind, each under a name of their own. */
export function ReviewPage() {
  const { overview, source } = usePage();
  if (!source.review || !overview.review)
    return (
      <p class="lead">
        Nobody judges here; start <code>evenhand view RUN --review</code>.
      </p>
    );
  return <NamedDesk review={source.review} run={overview.title} />;
}

/** The review alone, for those who judge, or the one who decides where they disagree: no ranking, no
 * system, no way to them. What a tab has to send from one is not sent from the other. */
export function BlindReview({ review, decides }: { review: ReviewSource; decides: boolean }) {
  return <NamedDesk review={review} run={decides ? "decides" : ""} blind decides={decides} />;
}

function NamedDesk({
  review,
  run,
  blind = false,
  decides = false,
}: {
  review: ReviewSource;
  run: string;
  blind?: boolean;
  decides?: boolean;
}) {
  const keep = useMemo(findKeep, []);
  const [name, setName] = useState(keep?.getItem(NAME) ?? "");
  const outbox = boxOf(review, run, keep);
  const use = (given: string) => {
    keep?.setItem(NAME, given);
    setName(given);
  };
  if (!name)
    return (
      <>
        <AskName done={use} decides={decides} />
        {!blind && <Standing review={review} changed={0} adjudicate={null} />}
      </>
    );
  return (
    <>
      <h1>{decides ? "Adjudication" : "Review"}</h1>
      <p class="note">
        Judging as{" "}
        <b>
          <Shown text={name} />
        </b>{" "}
        ·{" "}
        <button type="button" class="quiet" onClick={() => use("")}>
          another name
        </button>
      </p>
      <Desk key={name} name={name} review={review} outbox={outbox} blind={blind} />
    </>
  );
}

/** One box for a run, whatever pages are opened meanwhile. */
const boxes = new WeakMap<ReviewSource, Outbox>();

function boxOf(review: ReviewSource, run: string, keep: Keep | null): Outbox {
  const box = boxes.get(review) ?? new Outbox(run, review, keep);
  boxes.set(review, box);
  return box;
}

/** What the tab keeps when the page is loaded anew; some browsers keep nothing. */
function findKeep(): Keep | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

function AskName({ done, decides }: { done: (name: string) => void; decides: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const send = (event: Event) => {
    event.preventDefault();
    const name = input.current?.value.trim() ?? "";
    if (name) done(name);
  };
  return (
    <>
      <h1>{decides ? "Adjudication" : "Review"}</h1>
      <p class="lead">
        {decides && "You decide the pairs on which the annotators disagree. "}You will see two
        responses without their systems, on sides drawn at random. Your name keeps your labels apart
        from those of others.
      </p>
      <form class="filters" onSubmit={send}>
        <label>
          <span>Your name</span>
          <input ref={input} name="annotator" required maxLength={80} autocomplete="off" />
        </label>
        <button type="submit">Begin</button>
      </form>
    </>
  );
}
