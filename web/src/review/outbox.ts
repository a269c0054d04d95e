/** Labels on their way: kept in the tab until the server has them on its disk, and sent again until
 * it says so. A label has a key of its own, so that one that is sent twice is saved once. */

import { SourceError } from "../source/source";
import type { Json } from "../source/types";

const RETRY = 1500;

export type Choice = "left" | "tie" | "both-bad" | "right" | "skip";

export interface Label {
  annotator: string;
  id: string;
  draw: string;
  choice: Choice;
  comment: string | null;
  queue: string;
  key: string;
}

export type Message =
  | { path: "label"; body: Label }
  | { path: "undo"; body: { annotator: string; key: string } };

/** A label that the server has. */
interface Said {
  annotator: string;
  key: string;
}

export interface Mail {
  post(path: string, body: Json): Promise<Json>;
}

export interface Keep {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}

export interface Listener {
  /** Something was added, or went out. */
  changed(): void;
  /** A message was acknowledged, or refused in these words. */
  done(message: Message, refusal: string | null): void;
}

export class Outbox {
  private readonly name: string;
  private readonly mail: Mail;
  private readonly keep: Keep | null;
  private messages: Message[];
  private said: Said[];
  private listener: Listener | null = null;
  private sending = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Why the last try failed. */
  trouble: string | null = null;

  constructor(run: string, mail: Mail, keep: Keep | null) {
    this.name = `evenhand-review:${run}`;
    this.mail = mail;
    this.keep = keep;
    this.messages = readKept(keep, this.name);
    this.said = readKept(keep, `${this.name}:said`);
  }

  listen(listener: Listener | null): void {
    this.listener = listener;
  }

  /** Labels that the server has not acknowledged. */
  get waiting(): Label[] {
    return this.messages.flatMap((message) => (message.path === "label" ? [message.body] : []));
  }

  /** The key of what this tab said last under a name, of what is saved and not taken back. */
  lastSaid(annotator: string): string | null {
    return this.said.filter((one) => one.annotator === annotator).at(-1)?.key ?? null;
  }

  get size(): number {
    return this.messages.length;
  }

  add(message: Message): void {
    this.messages.push(message);
    this.save();
    void this.send();
  }

  /** Takes a label back: out of the box, and from the server in case that it has it. */
  undo(annotator: string, key: string): void {
    this.messages = this.messages.filter((message) => message.body.key !== key);
    this.add({ path: "undo", body: { annotator, key } });
  }

  /** Sends what there is, in order, until the box is empty or the server does not answer. */
  async send(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    for (let next = this.messages[0]; next; next = this.messages[0]) {
      if (!(await this.deliver(next))) break;
    }
    this.sending = false;
    if (this.messages.length) this.timer = setTimeout(() => void this.send(), RETRY);
  }

  private async deliver(message: Message): Promise<boolean> {
    try {
      await this.mail.post(message.path, message.body as unknown as Json);
      this.finish(message, null);
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const status = error instanceof SourceError ? error.status : 0;
      if (status >= 400 && status < 500) {
        this.finish(message, why);
        return true;
      }
      this.trouble = why;
      this.listener?.changed();
      return false;
    }
  }

  private finish(message: Message, refusal: string | null): void {
    this.messages = this.messages.filter((one) => one !== message);
    if (refusal === null) {
      const { annotator, key } = message.body;
      this.said = this.said.filter((one) => one.key !== key);
      if (message.path === "label") this.said.push({ annotator, key });
    }
    this.trouble = null;
    this.save();
    this.listener?.done(message, refusal);
  }

  private save(): void {
    try {
      this.keep?.setItem(this.name, JSON.stringify(this.messages));
      this.keep?.setItem(`${this.name}:said`, JSON.stringify(this.said));
    } catch {
      // A browser that keeps nothing still sends what is in memory.
    }
    this.listener?.changed();
  }
}

function readKept<T>(keep: Keep | null, name: string): T[] {
  try {
    const kept: unknown = JSON.parse(keep?.getItem(name) ?? "[]");
    return Array.isArray(kept) ? (kept as T[]) : [];
  } catch {
    return [];
  }
}

/** A key that no other label has. */
export function drawKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
