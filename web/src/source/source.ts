import type { Detail, Json, Overview, Rows } from "./types";

/** Where pages get their data: a server, or what a report's file embeds. */
export interface Source {
  readonly mode: "server" | "file";
  loadOverview(): Promise<Overview>;
  /** Reads rows by a query of filters, sort, offset and limit. */
  loadRows(query: string): Promise<Rows>;
  loadJudgment(trial: number): Promise<Detail>;
  /** Lists the runs beside this one; null where there are none to list. */
  loadRuns(): Promise<Json[] | null>;
  /** Returns what changes whenever the run has grown. */
  loadVersion(): Promise<string>;
  /** Opens another run of the same folder. */
  openRun(name: string): Source | null;
  readonly review: ReviewSource | null;
}

/** What people who judge send and get. */
export interface ReviewSource {
  get(path: string, query: Record<string, string>): Promise<Json>;
  post(path: string, body: Json): Promise<Json>;
}

export class SourceError extends Error {
  readonly status: number;
  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}
