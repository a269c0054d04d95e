import { type Embedded, inflateEmbedded } from "./embedded";
import { checkNames, type Filter, parseFilter } from "./filter";
import { buildRows, cellOf, type IndexedRow } from "./rows";
import { findText } from "./search";
import { selectRows } from "./select";
import { SourceError, type Source } from "./source";
import type { Call, Detail, Overview, ResponseOf, Rows } from "./types";

const PAGE = 100;

/** Reads from what a report's file embeds; nothing is fetched. */
export class FileSource implements Source {
  readonly mode = "file";
  readonly review = null;
  private readonly data: Embedded;
  private rows: IndexedRow[] | null = null;
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
    const filter = parseFilter(query);
    const rows = this.select(query, filter);
    const { offset, limit } = filter;
    return {
      total: rows.length,
      of: this.allRows().length,
      offset,
      rows: rows.slice(offset, offset + (limit ?? PAGE)).map(({ row }) => row),
      searched: filter.text === null ? null : (this.data.overview.sample?.how ?? null),
    };
  }

  async loadJudgment(trial: number): Promise<Detail> {
    const index = this.data.judgments.trial.indexOf(trial);
    const indexed = this.allRows().find((row) => row.judgments.includes(index));
    if (index < 0 || !indexed)
      throw new SourceError(`This report holds no judgment ${trial}.`, 404);
    return this.describe(index, indexed);
  }

  private allRows(): IndexedRow[] {
    this.rows ??= buildRows(this.data);
    return this.rows;
  }

  private select(query: string, filter: Filter): IndexedRow[] {
    const wanted = new URLSearchParams(query);
    for (const field of ["offset", "limit"]) wanted.delete(field);
    const key = wanted.toString();
    if (this.last?.key !== key) {
      const pair = checkNames(filter, {
        systems: this.data.overview.systems,
        items: this.data.items.map(({ id }) => id),
        categories: this.data.overview.categories,
      });
      const holdsText = filter.text === null ? null : findText(this.data, filter.text);
      this.last = { key, rows: selectRows(this.allRows(), filter, pair, holdsText) };
    }
    return this.last.rows;
  }

  private describe(index: number, indexed: IndexedRow): Detail {
    const columns = this.data.judgments;
    const slots =
      columns.systems[index] ??
      [columns.first[index] ?? -1, columns.second[index] ?? -1].filter((system) => system >= 0);
    return {
      row: indexed.row,
      trial: columns.trial[index] ?? 0,
      item: this.data.items[indexed.item] ?? {
        id: indexed.row.item,
        text: "",
        category: null,
        reference: null,
      },
      responses: slots.map((system) => this.responseOf(indexed.item, system)),
      outcome: cellOf(columns, index),
      detail: columns.detail[index] ?? null,
      looks: columns.looks[index] ?? [],
      people: indexed.row.people ? [indexed.row.people] : [],
      calls: (columns.calls[index] ?? []).map((call) => this.callOf(call)),
      others: [],
    };
  }

  private responseOf(item: number, system: number): ResponseOf {
    const found = this.data.responses.find(
      (response) => response.item === item && response.system === system,
    );
    const { text = "", turns, trajectory } = found ?? {};
    return {
      system: this.data.overview.systems[system] ?? "?",
      text,
      ...(turns ? { turns } : {}),
      ...(trajectory ? { trajectory } : {}),
    };
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
      reply:
        text == null
          ? null
          : {
              text,
              finish: calls.finish[index] ?? null,
              reasoning: calls.reasoning[index] ?? null,
            },
      error: calls.error[index] ?? null,
      attempt: calls.attempt[index] ?? 0,
      tokens: {
        prompt: calls.prompt_tokens[index] ?? null,
        completion: calls.completion_tokens[index] ?? null,
      },
      cost: null,
    };
  }

  private partOf(part: string | ["item", number] | ["response", number]): string {
    if (typeof part === "string") return part;
    const [kind, index] = part;
    return (
      (kind === "item" ? this.data.items[index]?.text : this.data.responses[index]?.text) ?? ""
    );
  }
}
