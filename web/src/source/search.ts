/** Where words stand in what a file embeds, in any case. */

import type { Embedded } from "./embedded";
import type { IndexedRow } from "./rows";

/** Returns whether a row's instruction, responses or replies hold these words. */
export function findText(data: Embedded, words: string): (indexed: IndexedRow) => boolean {
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
  const holds = (text: string | null | undefined) => text != null && pattern.test(text);
  const items = data.items.map(({ text }) => holds(text));
  const replies = data.calls.reply.map(
    (reply, call) => holds(reply) || holds(data.calls.reasoning[call]),
  );
  const responses = new Set(
    data.responses.filter(({ text }) => holds(text)).map(({ item, system }) => `${item}:${system}`),
  );
  return ({ item, systems, judgments }) =>
    items[item] === true ||
    systems.some((system) => responses.has(`${item}:${system}`)) ||
    judgments.some((index) => (data.judgments.calls[index] ?? []).some((call) => replies[call]));
}
