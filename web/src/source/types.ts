/** The data that the pages read, by the names that the server and a report's file give them. */

export type Choice = "a" | "b" | "tie";
export type Outcome = Choice | "none";
export type Slot = "first" | "second" | "tie";

export interface Overview {
  evenhand: string;
  command: string;
  title: string;
  /** What its user calls the run; shown in the place of the title. */
  label?: string;
  version: string;
  /** Whether it is a page of a site, whose first page stands beside it. */
  site?: boolean;
  /** Whether a process holds the run: judgments may still come in. */
  live: boolean;
  /** How far the run has come; absent for a report without a run. */
  state?: RunState;
  planned?: number | null;
  judgments?: number;
  verdicts?: number;
  mode: "server" | "file";
  review: boolean;
  manifest: Record<string, unknown>;
  report: Json;
  /** What the scores of the report are in; null where that is not known. */
  unit: ScoreUnit | null;
  figures: Figure[];
  systems: string[];
  categories: string[];
  judges: string[];
  /** Who answered for them, as their servers say it. */
  answered_by?: { judge: string; model: string; fingerprint?: string; calls: number }[];
  items: number;
  counts: Counts;
  matrix: MatrixCell[];
  sample: null | { kept: number; of: number; how: string };
}

export interface ScoreUnit {
  /** As it stands in a sentence. */
  short: string;
  /** Where a difference of two scores says how often the one wins. */
  scale: "elo" | "log-odds" | null;
}

export type RunState = "running" | "complete" | "decided" | "stopped" | "failed" | "unknown";

export interface Counts {
  judgments: number;
  rows: number;
  verdicts: number;
  flipped: number;
  split: number;
  people: { compared: number; disagree: number };
  failures: Record<string, number>;
  calls: number;
}

/** Two systems by index, a < b; the share is that of a, a tie counted as half. */
export interface MatrixCell {
  a: number;
  b: number;
  n: number;
  share: number | null;
  both: number;
  consistent: number;
}

export interface Rows {
  total: number;
  /** Rows of the run when these were read: while it grows, more than its overview counts. */
  of: number;
  offset: number;
  rows: Row[];
  searched: null | string;
}

/** Both orders of one pair on one item; one response where judging is pointwise. */
export interface Row {
  id: number;
  item: string;
  category: null | string;
  a: string;
  b: string | null;
  systems: null | string[];
  replicate: number;
  ab: Cell | null;
  ba: Cell | null;
  outcome: Outcome;
  p: number | null;
  score: number | null;
  flipped: boolean;
  split: boolean;
  people: null | Choice;
  confidence: number | null;
  cost: number | null;
  tokens: number;
  excerpt: string | null;
}

export interface Cell {
  trial: number;
  p: [number, number, number] | null;
  score: number | null;
  places: number[] | null;
  failure: string | null;
}

export interface Detail {
  row: Row;
  trial: number;
  item: Item;
  responses: ResponseOf[];
  outcome: Cell;
  detail: null | string;
  looks: Look[];
  people: unknown[];
  /** What each person said, where people judge. */
  said?: Json;
  calls: Call[];
  others: { run: string; trial: number; first: null | string; outcome: Cell }[];
}

export interface ResponseOf {
  system: string;
  text: string;
  /** Its turns before the last one. */
  turns?: unknown;
  /** What it did before the final message. */
  trajectory?: unknown;
}

export interface Item {
  id: string;
  text: string;
  category: null | string;
  reference: null | string;
  turns?: unknown;
}

export interface Call {
  judge: string;
  messages: { role: string; content: string }[];
  task?: Json;
  reply: null | ({ text?: string | null; finish?: string | null } & { [key: string]: unknown });
  error: null | string;
  attempt: number;
  tokens: { [key: string]: unknown } | null;
  cost: number | null;
}

/** One look of a judgment, as the run keeps it. */
export interface Look {
  judge?: number;
  stage?: string;
  sample?: number;
  swapped?: boolean;
  outcome?: unknown;
  criterion?: unknown;
  segments?: unknown;
  [key: string]: unknown;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Figure = DotsFigure | GridFigure | LinesFigure | PointsFigure;

export interface DotsFigure {
  kind: "dots";
  title: string;
  note?: string | null;
  axis: Axis;
  /** Values as bars from 0, those of one label side by side. */
  bars?: boolean;
  rows: {
    label: string;
    group: null | string;
    value: null | number;
    low: null | number;
    high: null | number;
    text: string /** A value to hold it against. */;
    mark?: null | number;
  }[];
}

export interface GridFigure {
  kind: "grid";
  title: string;
  note?: string | null;
  rows: string[];
  columns: string[];
  cells: (null | { value: number | null; text: string })[][];
  scale: { low: number; high: number; label: string };
}

export interface LinesFigure {
  kind: "lines";
  title: string;
  note?: string | null;
  x: Axis;
  y: Axis;
  /** How many of the lines are drawn unless others are chosen; all where it is absent. */
  drawn?: number;
  series: {
    label: string;
    dashed?: boolean;
    points: {
      x: number;
      y: number | null;
      text: string;
      low?: null | number;
      high?: null | number;
    }[];
  }[];
}

export interface PointsFigure {
  kind: "points";
  title: string;
  note?: string | null;
  x: Axis;
  y: Axis;
  points: {
    label: string;
    group: null | string;
    x: number;
    y: number;
    low?: null | number;
    high?: null | number;
    text: string;
  }[];
}

export interface Axis {
  label: string;
  log?: boolean;
  /** The day that 0 stands for, where the numbers count days. */
  since?: string;
  /** The least number where whole numbers alone mean something: 1 of ranks. */
  first?: number;
}
