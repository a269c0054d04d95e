import { type Embedded, inflateEmbedded } from "./embedded";
import { filterRows, sortRows } from "./filter";
import { buildRows, cellOf, type IndexedRow } from "./rows";
import { SourceError, type Source } from "./source";
import type { Call, Detail, Overview, Rows } from "./types";

const PAGE = 100;

/** Reads from what a report's file embeds; nothing is fetched. */
export class FileSource implements Source {
  readonly mode = "file";
  readonly review = null;
  private readonly data: Embedded;
  private rows: IndexedRow[] | null = null;
  private texts: { items: string[]; responses: Map<number, string[]>; replies: string[] } | null = null;
  private last: { key: string; rows: IndexedRow[] } | null = null;

  constructor(data: Embedded) {
    this.data = data;
  }

  static async open(base64: string): Promise<FileSource> {
    return new FileSource(await inflateEmbedded(base64));
  }

  async loadOverview(): Promise<Overview> {
    return this.data.overview;
  }

  async loadVersion(): Promise<string> {
    return this.data.overview.version;
  }

  async loadRuns(): Promise<null> {
    return null;
  }

  openRun(): null {
    return null;
  }

  async loadRows(query: string): Promise<Rows> {
    const parsed = new URLSearchParams(query);
    const rows = this.select(parsed);
    const offset = Math.max(0, Math.trunc(Number(parsed.get("offset") ?? 0)) || 0);
    const limit = parsed.has("limit") ? Math.max(0, Math.trunc(Number(parsed.get("limit"))) || 0) : PAGE;
    const sample = this.data.overview.sample;
    return {
      total: rows.length,
      offset,
      rows: rows.slice(offset, offset + limit).map(({ row }) => row),
      searched: parsed.get("text") && sample ? sample.how : null,
    };
  }

  async loadJudgment(trial: number): Promise<Detail> {
    const index = this.data.judgments.trial.indexOf(trial);
    const indexed = this.allRows().find((row) => row.judgments.includes(index));
    if (index < 0 || !indexed) throw new SourceError(`This report holds no judgment ${trial}.`, 404);
    return this.describe(index, indexed);
  }

  private allRows(): IndexedRow[] {
    this.rows ??= buildRows(this.data);
    return this.rows;
  }

  private select(query: URLSearchParams): IndexedRow[] {
    const filters = new URLSearchParams(Array.from(query).filter(([key]) => key !== "offset" && key !== "limit"));
    const key = filters.toString();
    if (this.last?.key !== key) {
      const found = filterRows(this.allRows(), filters, this.data.overview.systems, (words) => this.findText(words));
      this.last = { key, rows: sortRows(found, filters.get("sort")) };
    }
    return this.last.rows;
  }

  private findText(words: string): (indexed: IndexedRow) => boolean {
    const wanted = words.toLowerCase();
    const texts = this.lowerTexts();
    return ({ item, systems, judgments }) =>
      (texts.items[item] ?? "").includes(wanted) ||
      systems.some((system) => (texts.responses.get(item)?.[system] ?? "").includes(wanted)) ||
      judgments.some((index) => (this.data.judgments.calls[index] ?? []).some((call) => (texts.replies[call] ?? "").includes(wanted)));
  }

  private lowerTexts() {
    if (this.texts) return this.texts;
    const responses = new Map<number, string[]>();
    for (const { item, system, text } of this.data.responses) {
      const list = responses.get(item) ?? [];
      list[system] = text.toLowerCase();
      responses.set(item, list);
    }
    this.texts = {
      items: this.data.items.map((item) => (item.text ?? "").toLowerCase()),
      responses,
      replies: this.data.calls.reply.map((reply) => (reply ?? "").toLowerCase()),
    };
    return this.texts;
  }

  private describe(index: number, indexed: IndexedRow): Detail {
    const columns = this.data.judgments;
    const slots = columns.systems[index] ?? [columns.first[index] ?? -1, columns.second[index] ?? -1].filter((system) => system >= 0);
    const people = columns.people[index];
    return {
      row: indexed.row,
      trial: columns.trial[index] ?? 0,
      item: this.data.items[indexed.item] ?? { id: indexed.row.item, text: "", category: null, reference: null },
      responses: slots.map((system) => this.responseOf(indexed.item, system)),
      outcome: cellOf(columns, index),
      detail: columns.detail[index] ?? null,
      looks: columns.looks[index] ?? [],
      people: people ? [people] : [],
      calls: (columns.calls[index] ?? []).map((call) => this.callOf(call)),
      others: [],
    };
  }

  private responseOf(item: number, system: number): { system: string; text: string } {
    const found = this.data.responses.find((response) => response.item === item && response.system === system);
    return { system: this.data.overview.systems[system] ?? "?", text: found?.text ?? "" };
  }

  private callOf(index: number): Call {
    const calls = this.data.calls;
    const text = calls.reply[index];
    return {
      judge: this.data.overview.judges[calls.judge[index] ?? 0] ?? "?",
      messages: (this.data.prompts[calls.prompt[index] ?? -1] ?? []).map(({ role, parts }) => ({
        role,
        content: parts.map((part) => this.partOf(part)).join(""),
      })),
      reply: text == null ? null : { text, finish: calls.finish[index] ?? null },
      error: calls.error[index] ?? null,
      attempt: calls.attempt[index] ?? 0,
      tokens: { prompt: calls.prompt_tokens[index] ?? null, completion: calls.completion_tokens[index] ?? null },
      cost: null,
    };
  }

  private partOf(part: string | ["item", number] | ["response", number]): string {
    if (typeof part === "string") return part;
    const [kind, index] = part;
    return (kind === "item" ? this.data.items[index]?.text : this.data.responses[index]?.text) ?? "";
  }
}
