import type { Call, Detail } from "../source/types";
import { countOf, formatNumber, formatUsd } from "../text/format";
import { Shown } from "../text/visible";
import { Named } from "./cell";
import { GenericReport } from "./generic";
import { Notice } from "./notice";

/** The calls of a judgment in the order in which they were asked: samples of one prompt, or
 * steps. */
export function Calls({ detail }: { detail: Detail }) {
  const { calls } = detail;
  if (calls.length < 2)
    return (
      <>
        {calls.map((call, index) => (
          <CallView key={index} call={call} detail={detail} title="The judge’s words" />
        ))}
      </>
    );
  const prompts = new Set(calls.map((call) => JSON.stringify(call.messages)));
  const title = (call: Call, index: number) =>
    prompts.size === 1
      ? `Sample ${index + 1} of ${calls.length}`
      : `Step ${index + 1} of ${calls.length}${sayAbout(call, detail)}`;
  return (
    <ol class="steps">
      {calls.map((call, index) => (
        <li key={index}>
          <CallView
            call={call}
            detail={detail}
            title={title(call, index)}
            prompt={index === 0 || prompts.size > 1}
          />
        </li>
      ))}
    </ol>
  );
}

/** Says of which response a step is, where its prompt shows one alone. */
function sayAbout(call: Call, detail: Detail): string {
  const prompt = call.messages.map(({ content }) => content).join("\n");
  const shown = detail.responses.filter(({ text }) => text !== "" && prompt.includes(text));
  if (shown.length === 1 && detail.responses.length > 1) return `: ${shown[0]!.system} alone`;
  return shown.length > 1 ? `: ${shown.length === 2 ? "both" : "all"} responses` : "";
}

/** Which response stood first in a prompt with both of a pair, and which second; null where that is
 * not sure: unless each stands there once, and neither within the other. */
export function slotsOf(call: Call, detail: Detail): [string, string] | null {
  const { responses, row } = detail;
  const [one, other] = responses;
  if (!one || !other || responses.length > 2 || row.b === null || row.a === row.b) return null;
  const prompt = call.messages.map(({ content }) => content).join("\n");
  const isOnce = (text: string) =>
    text !== "" && prompt.includes(text) && prompt.indexOf(text) === prompt.lastIndexOf(text);
  if (!isOnce(one.text) || !isOnce(other.text)) return null;
  const [at, otherAt] = [prompt.indexOf(one.text), prompt.indexOf(other.text)];
  if (at + one.text.length <= otherAt) return [one.system, other.system];
  // A prompt that turns them round belongs to a judgment of both orders.
  const isSwapped = detail.looks.some((look) => look.swapped);
  return isSwapped && otherAt + other.text.length <= at ? [other.system, one.system] : null;
}

/** What the judge's own letters mean: not the letters of this page, which are those of systems. */
function Slots({ call, detail }: { call: Call; detail: Detail }) {
  const slots = call.reply && slotsOf(call, detail);
  if (!slots) return null;
  return (
    <p class="note slots">
      In the judge’s words A, or the first, is <Named row={detail.row} system={slots[0]} />; B, or
      the second, is <Named row={detail.row} system={slots[1]} />.
    </p>
  );
}

function CallView({
  call,
  detail,
  title,
  prompt = true,
}: {
  call: Call;
  detail: Detail;
  title: string;
  prompt?: boolean;
}) {
  return (
    <div class="call">
      <h4>
        <Shown text={title} />
      </h4>
      {call.error !== null && (
        <Notice kind="error">
          <Shown text={call.error} />
        </Notice>
      )}
      <Slots call={call} detail={detail} />
      {typeof call.reply?.["reasoning"] === "string" && (
        <details>
          <summary>Its reasoning</summary>
          <pre class="plain words">
            <Shown text={call.reply["reasoning"]} />
          </pre>
        </details>
      )}
      {call.reply && (
        <pre class="plain words">
          <Shown text={call.reply.text || "(no text)"} />
        </pre>
      )}
      <p class="note">
        <Shown text={call.judge} />
        {sayTokens(call)}
        {call.reply?.finish && call.reply.finish !== "stop" ? (
          <>
            {" "}
            · ended by <Shown text={call.reply.finish} />
          </>
        ) : null}
        {call.attempt > 0 && ` · attempt ${call.attempt + 1}`}
        {call.cost !== null && ` · ${formatUsd(call.cost)}`}
      </p>
      {prompt && (
        <details>
          <summary>
            The prompt as sent ({countOf(call.messages.length, "message", "messages")})
          </summary>
          {call.messages.map((message, index) => (
            <div key={index}>
              <h5>
                <Shown text={message.role} />
              </h5>
              <pre class="plain">
                <Shown
                  text={
                    typeof message.content === "string"
                      ? message.content
                      : JSON.stringify(message.content)
                  }
                />
              </pre>
            </div>
          ))}
          {call.task != null && (
            <>
              <h5>What was asked for</h5>
              <GenericReport value={call.task} />
            </>
          )}
        </details>
      )}
    </div>
  );
}

function sayTokens(call: Call): string {
  const numbers = Object.entries(call.tokens ?? {}).filter(
    ([, value]) => typeof value === "number" && value > 0,
  );
  return numbers.length
    ? ` · tokens: ${numbers.map(([name, value]) => `${formatNumber(Number(value))} ${name.replaceAll("_", " ")}`).join(", ")}`
    : "";
}
