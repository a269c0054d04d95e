/** The data inside a report's file: columns, with texts of items and responses by reference. */

import type { Item, Look, Overview, Slot } from "./types";

export interface Embedded {
  overview: Overview;
  items: Item[];
  responses: {
    item: number;
    system: number;
    text: string;
    turns?: unknown;
    trajectory?: unknown;
  }[];
  judgments: JudgmentColumns;
  calls: CallColumns;
  prompts: PromptMessage[][];
}

export interface JudgmentColumns {
  trial: number[];
  item: number[];
  first: number[];
  second: number[];
  systems: (null | number[])[];
  replicate: number[];
  p_first: (null | number)[];
  p_tie: (null | number)[];
  p_second: (null | number)[];
  score: (null | number)[];
  places: (null | number[])[];
  failure: (null | string)[];
  detail: (null | string)[];
  looks: (null | Look[])[];
  calls: number[][];
  people: (null | Slot)[];
  cost: (null | number)[];
}

export interface CallColumns {
  judge: number[];
  prompt: number[];
  reply: (null | string)[];
  reasoning: (null | string)[];
  finish: (null | string)[];
  error: (null | string)[];
  prompt_tokens: (null | number)[];
  completion_tokens: (null | number)[];
  attempt: number[];
}

export interface PromptMessage {
  role: string;
  parts: (string | ["item", number] | ["response", number])[];
}

/** Inflates what the page embeds: base64 of raw deflate of JSON. */
export async function inflateEmbedded(base64: string): Promise<Embedded> {
  const bytes = Uint8Array.from(atob(base64.trim()), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text()) as Embedded;
}
