/** Draws descriptions of figures by Observable Plot; labels come from data and are only ever
 * text. */

import * as Plot from "@observablehq/plot";
import type {
  Axis,
  DotsFigure,
  Figure,
  GridFigure,
  LinesFigure,
  PointsFigure,
} from "../source/types";
import { plainText } from "../text/visible";
import { shortenAll, wrapAll } from "./labels";

const COLOURS = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)"];
const DASHES = ["none", "6 3", "2 3", "8 3 2 3"];

/** So wide is a figure on a phone at most, in pixels. */
const NARROW = 480;

type Drawn = SVGSVGElement | HTMLElement;

export function drawFigure(figure: Figure, width: number): Drawn {
  switch (figure.kind) {
    case "dots":
      return figure.bars ? drawBars(figure, width) : drawDots(figure, width);
    case "grid":
      return drawGrid(figure, width);
    case "lines":
      return drawLines(figure, width);
    case "points":
      return drawPoints(figure, width);
  }
}

function labelMargin(labels: string[], width: number): number {
  const longest = Math.max(4, ...labels.map((label) => plainText(label).length));
  return Math.min(Math.round(width * 0.42), 14 + 7 * longest);
}

/** The label of an axis, without what it adds in brackets where it would be cut. */
function nameAxis(label: string, room: number): string {
  const [whole, bare] = [label, label.replace(/ \([^()]*\)$/, "")];
  const [shown] = shortenAll([whole], room);
  return shown === plainText(whole) ? shown : shortenAll([bare], room)[0]!;
}

/** What an axis shows, in lines, and the room that those beyond the first take. */
function wrapAxis({ label }: Axis, width: number): { text: string; room: number } {
  const text = wrapAll([label], Math.floor((0.8 * width) / LETTER), 3)[0]!;
  return { text, room: LINE * (text.split("\n").length - 1) };
}

function groupsOf(groups: (string | null)[]): Map<string | null, number> {
  const known = new Map<string | null, number>();
  for (const group of groups) if (!known.has(group)) known.set(group, known.size);
  return known;
}

/** How a group's marks are drawn: as outlines alone where their colour is there already. */
function lookOf(group: number): { colour: string; fill: string; outline: string } {
  const colour = COLOURS[group % COLOURS.length]!;
  return group < COLOURS.length
    ? { colour, fill: colour, outline: "var(--paper)" }
    : { colour, fill: "var(--paper)", outline: colour };
}

function drawDots(figure: DotsFigure, width: number): Drawn {
  const names = figure.rows.map((row) => row.label);
  // On a phone, labels that would be cut stand above their rows.
  const beside = labelMargin(names, width);
  const above = width < NARROW && beside < labelMargin(names, Number.POSITIVE_INFINITY);
  const marginLeft = above ? 12 : beside;
  const labels = shortenAll(names, above ? width : marginLeft);
  const groups = groupsOf(figure.rows.map((row) => row.group));
  const [least, highest] = spanOfRows(figure);
  const lowest = Math.max(least, figure.axis.first ?? least);
  const axis = wrapAxis(figure.axis, width);
  const inside = (end: number | null) =>
    end === null ? null : Math.min(highest, Math.max(lowest, end));
  const rows = figure.rows.map((row, y) => ({
    ...row,
    y,
    // Of several rows with one label, the first has it.
    name: y > 0 && names[y - 1] === row.label ? "" : (labels[y] ?? ""),
    from: inside(row.low) ?? lowest,
    to: inside(row.high) ?? highest,
    ...lookOf(groups.get(row.group) ?? 0),
  }));
  const goesOn = (isLow: boolean) =>
    rows.filter(({ low, high }) =>
      isLow ? low !== null && low < lowest : high !== null && high > highest,
    );
  const arrows = (isLow: boolean) =>
    Plot.text(goesOn(isLow), {
      x: isLow ? lowest : highest,
      y: "y",
      text: () => (isLow ? "◂" : "▸"),
      fill: "colour",
      fontSize: 15,
    });
  const known = rows.filter((row) => row.value !== null);
  const bars = rows.filter((row) => row.low !== null || row.high !== null);
  const marks = rows.filter((row) => row.mark != null);
  return Plot.plot({
    width,
    height: 66 + axis.room + (above ? 44 : 30) * rows.length,
    marginLeft,
    marginTop: 22,
    marginBottom: 44 + axis.room,
    marginRight: 24,
    x: {
      label: axis.text,
      labelOffset: 38 + axis.room,
      type: figure.axis.log ? "log" : "linear",
      domain: [lowest, highest],
      grid: true,
      // Nothing comes before the first rank, which has a tick of its own, nor between two ranks.
      ...(figure.axis.first === undefined
        ? { nice: true }
        : { ticks: ticksFrom(lowest, highest), tickFormat: "d" }),
    },
    y: {
      type: "point",
      padding: 0.5,
      domain: rows.map((row) => row.y),
      label: null,
      tickSize: 0,
      tickFormat: (y: number) => (above ? "" : (rows[y]?.name ?? "")),
    },
    marks: [
      Plot.text(above ? rows : [], { frameAnchor: "left", y: "y", dy: -17, text: "name" }),
      Plot.text(marks, {
        x: "mark",
        y: "y",
        text: () => "|",
        fill: "var(--muted)",
        fontSize: 17,
        fontWeight: 700,
      }),
      Plot.link(bars, {
        x1: "from",
        x2: "to",
        y1: "y",
        y2: "y",
        stroke: "colour",
        strokeWidth: 3,
        strokeOpacity: 0.45,
        strokeLinecap: "round",
      }),
      arrows(true),
      arrows(false),
      Plot.dot(known, { x: "value", y: "y", r: 5, fill: "fill", stroke: "outline" }),
      // Why there is no value, before the lines of the grid.
      Plot.text(
        rows.filter((row) => row.value === null),
        {
          x: lowest,
          y: "y",
          text: (row: { text: string }) =>
            wrapAll([row.text], Math.floor((width - marginLeft - 28) / LETTER), 2)[0]!,
          title: (row: { text: string }) => plainText(row.text),
          textAnchor: "start",
          dx: 4,
          fill: "var(--muted)",
          stroke: "var(--paper)",
          strokeWidth: 6,
        },
      ),
      Plot.tip(
        known,
        Plot.pointerY({
          x: "value",
          y: "y",
          title: (row: { label: string; text: string }) =>
            `${plainText(row.label)}\n${plainText(row.text)}`,
          fill: "var(--paper)",
        }),
      ),
    ],
  });
}

/** Whole numbers from the first to the last, every one or with equal steps. */
function ticksFrom(first: number, last: number): number[] {
  const step = Math.max(1, Math.ceil((last - first) / 8));
  return Array.from(
    { length: Math.floor((last - first) / step) + 1 },
    (_, at) => first + at * step,
  );
}

const BAR = 18;
const LINE = 14;
const LETTER = 6.6;

/** Draws the bars of each label beside each other, from 0, as the file of SVG has them; groups that
 * do not fit beside each other stand in rows. */
function drawBars(figure: DotsFigure, width: number): Drawn {
  const labels = [...new Set(figure.rows.map((row) => row.label))];
  const groups = groupsOf(figure.rows.map((row) => row.group));
  const longest = Math.max(
    ...labels.flatMap((label) => plainText(label).split(" ")).map((word) => word.length),
  );
  const axis = wrapAxis(figure.axis, width);
  const margins = { marginLeft: 52, marginRight: 24, marginTop: 26 + axis.room };
  const room = width - margins.marginLeft - margins.marginRight;
  const widest = Math.min(200, LETTER * longest) + 12;
  const step = Math.min(room / 2, Math.max(BAR * groups.size + 22, widest));
  const gap = Math.max(0.1, 1 - (BAR * groups.size) / step);
  const inRow = Math.min(labels.length, Math.max(1, Math.floor(room / step - gap)));
  const rows = Math.ceil(labels.length / inRow);
  const shown = wrapAll(labels, Math.floor((step - 6) / LETTER), 4);
  const lines = Math.max(...shown.map((label) => label.split("\n").length));
  const below = LINE * lines + 14;
  const [lowest, highest] = spanOf([
    0,
    ...figure.rows.flatMap(({ value, low, high, mark }) => [value, low, high, mark ?? null]),
  ]);
  const placed = (label: number) => ({ fx: label % inRow, fy: Math.floor(label / inRow) });
  const bars = figure.rows.map((row) => {
    const group = groups.get(row.group) ?? 0;
    return {
      ...row,
      ...placed(labels.indexOf(row.label)),
      group,
      from: row.low ?? lowest,
      to: row.high ?? highest,
      ...lookOf(group),
    };
  });
  const known = bars.filter((bar) => bar.value !== null);
  const spans = known.filter((bar) => bar.low !== null || bar.high !== null);
  const at = { fx: "fx", fy: "fy", x: "group" };
  const ink = { stroke: "currentColor", strokeWidth: 2 };
  return Plot.plot({
    ...margins,
    width: margins.marginLeft + margins.marginRight + step * (inRow + gap),
    height: 26 + axis.room + rows * (190 + below),
    marginBottom: below,
    fx: { domain: Array.from({ length: inRow }, (_, x) => x), axis: null, padding: gap },
    fy: {
      domain: Array.from({ length: rows }, (_, y) => y),
      axis: null,
      padding: rows > 1 ? below / (190 + below) : 0,
    },
    x: { type: "band", domain: [...groups.values()], axis: null, padding: 0.1 },
    y: {
      label: axis.text,
      domain: [lowest, highest],
      nice: true,
      grid: true,
    },
    marks: [
      Plot.barY(known, { ...at, y: "value", fill: "fill", fillOpacity: 0.8, stroke: "outline" }),
      Plot.ruleY([0], { stroke: "var(--muted)" }),
      Plot.tickY(
        bars.filter((bar) => bar.mark != null),
        { ...at, y: "mark", ...ink },
      ),
      Plot.ruleX(spans, { ...at, y1: "from", y2: "to", ...ink }),
      Plot.text(
        bars.filter((bar) => bar.value === null),
        { ...at, y: () => 0, dy: -7, text: () => "-", fill: "var(--muted)" },
      ),
      Plot.text(
        shown.map((text, label) => ({ text, ...placed(label) })),
        {
          fx: "fx",
          fy: "fy",
          text: "text",
          frameAnchor: "bottom",
          lineAnchor: "top",
          dy: 8,
        },
      ),
      Plot.tip(
        known,
        Plot.pointerX({
          ...at,
          y: "value",
          title: (bar: { label: string; text: string }) =>
            `${plainText(bar.label)}\n${plainText(bar.text)}`,
          fill: "var(--paper)",
        }),
      ),
    ],
  });
}

/** The ends of the axis of rows, as `well_measured` of crates/report/src/figures/svg/dots.rs: where
 * a few intervals are so long that all others would vanish, the range of the values and the width of
 * the median interval to either side. */
export function spanOfRows({ axis, rows }: DotsFigure): [number, number] {
  const values = rows.flatMap(({ value, mark }) => [value, mark ?? null]);
  const whole = spanOf([...values, ...rows.flatMap(({ low, high }) => [low, high])], axis.log);
  const widths = rows
    .flatMap(({ low, high }) => (low !== null && high !== null ? [high - low] : []))
    .sort((a, b) => a - b);
  const width = widths[Math.floor((widths.length - 1) / 2)];
  if (axis.log || width === undefined || values.every((value) => value === null)) return whole;
  const [low, high] = spanOf(values);
  const cut: [number, number] = [Math.max(whole[0], low - width), Math.min(whole[1], high + width)];
  return whole[1] - whole[0] > MOST_STRETCHED * (cut[1] - cut[0]) ? cut : whole;
}

/** An axis may be this much longer than what is well measured takes. */
const MOST_STRETCHED = 2;

/** The lowest and the highest of the numbers that are known. */
function spanOf(values: (number | null)[], isLog = false): [number, number] {
  const known = values.filter((value): value is number => value !== null);
  if (!known.length) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (low < high) return [low, high];
  // One value stands beside 0, which no logarithm has: beyond it there may be no value at all.
  if (isLog) return [low / 10, high * 10];
  return low === 0 ? [-1, 1] : [Math.min(0, low), Math.max(0, high)];
}

/** So wide are columns of a grid at least, and so wide do their heads and numbers make them at most,
 * in pixels. */
const COLUMN = { least: 48, ofHeads: 72, ofNumbers: 160 };

/** Draws a grid: wider than there is room where its numbers, or heads of some length, need it. */
function drawGrid(figure: GridFigure, room: number): Drawn {
  const count = Math.max(1, figure.columns.length);
  const widest = (texts: string[]) =>
    texts.reduce((most, text) => Math.max(most, 12 + LETTER * plainText(text).length), 0);
  const numbers = figure.cells.flat().flatMap((cell) => (cell ? [cell.text] : []));
  const column = Math.max(
    COLUMN.least,
    Math.min(COLUMN.ofHeads, widest(figure.columns)),
    Math.min(COLUMN.ofNumbers, widest(numbers)),
  );
  const marginLeft = labelMargin(figure.rows, room);
  const marginRight = 20;
  const width = Math.max(room, marginLeft + column * count + marginRight);
  const rows = shortenAll(figure.rows, marginLeft);
  const columns = shortenAll(figure.columns, (width - marginLeft - marginRight) / count + 6);
  const cells = figure.cells.flatMap((row, y) =>
    row.flatMap((cell, x) =>
      cell ? [{ x, y, value: cell.value, text: plainText(cell.text) }] : [],
    ),
  );
  const span = figure.scale.high - figure.scale.low || 1;
  // Differences have a colour for each side, and none at 0.
  const isTwoSided = figure.scale.low < 0 && figure.scale.high > 0;
  const most = Math.max(-figure.scale.low, figure.scale.high) || 1;
  const part = (value: number | null) =>
    value === null ? 0 : Math.max(0, Math.min(1, (value - figure.scale.low) / span));
  return Plot.plot({
    width,
    height: 60 + 34 * figure.rows.length,
    marginLeft,
    marginRight,
    marginTop: 34,
    x: {
      type: "band",
      domain: figure.columns.map((_, x) => x),
      axis: "top",
      label: null,
      tickSize: 0,
      tickFormat: (x: number) => columns[x] ?? "",
    },
    y: {
      type: "band",
      domain: figure.rows.map((_, y) => y),
      label: null,
      tickSize: 0,
      tickFormat: (y: number) => rows[y] ?? "",
    },
    marks: [
      Plot.cell(cells, {
        x: "x",
        y: "y",
        fill: (cell: { value: number | null }) =>
          isTwoSided && (cell.value ?? 0) < 0 ? "var(--c1)" : "var(--c0)",
        fillOpacity: (cell: { value: number | null }) =>
          isTwoSided
            ? 0.6 * Math.min(1, Math.abs(cell.value ?? 0) / most)
            : 0.08 + 0.5 * part(cell.value),
        inset: 1,
      }),
      Plot.text(cells, { x: "x", y: "y", text: "text", fill: "currentColor" }),
    ],
  });
}

/** The room for the label of a vertical axis over its highest tick, in pixels. */
const OVER = 34;

/** How the line at a place in its figure is drawn. */
function strokeOf(index: number, isDashed = false): { colour: string; dash: string } {
  return {
    colour: COLOURS[index % COLOURS.length]!,
    dash: isDashed ? "4 4" : DASHES[Math.floor(index / COLOURS.length) % DASHES.length]!,
  };
}

const DAY = 86_400_000;

function drawLines(figure: LinesFigure, width: number): Drawn {
  const since = figure.x.since === undefined ? Number.NaN : Date.parse(figure.x.since);
  const isDays = !Number.isNaN(since);
  const y = wrapAxis(figure.y, width);
  const place = (x: number) => (isDays ? new Date(since + x * DAY) : x);
  const series = figure.series.map((one, index) => ({
    ...one,
    ...strokeOf(index, one.dashed),
    points: one.points.map((point) => ({
      ...point,
      x: place(point.x),
      name: `${plainText(one.label)}\n${plainText(point.text)}`,
    })),
  }));
  const all = series.flatMap((one) => one.points);
  const barsOf = (one: (typeof series)[number]) =>
    one.points.filter((point) => point.low != null && point.high != null);
  return Plot.plot({
    width,
    height: Math.min(360, Math.max(240, width * 0.55)) + y.room,
    marginTop: OVER + y.room,
    marginLeft: 52,
    marginBottom: 42,
    x: isDays
      ? {
          label: null,
          type: "utc",
          // Editions come by the day: there is nothing between two days.
          ticks: daysOf(
            all.map(({ x }) => x as Date),
            width < NARROW ? 3 : 6,
          ),
          tickFormat: (day: Date) => day.toISOString().slice(0, 10),
        }
      : {
          label: nameAxis(figure.x.label, 0.8 * width),
          type: figure.x.log ? "log" : "linear",
          nice: true,
        },
    y: {
      label: y.text,
      type: figure.y.log ? "log" : "linear",
      domain: spanOf(
        all.flatMap(({ y, low, high }) => [y, low ?? null, high ?? null]),
        figure.y.log,
      ),
      grid: true,
      nice: true,
    },
    marks: [
      ...series.map((one) =>
        Plot.link(barsOf(one), {
          x1: "x",
          x2: "x",
          y1: "low",
          y2: "high",
          stroke: one.colour,
          strokeOpacity: 0.4,
          strokeWidth: 2,
        }),
      ),
      ...series.map((one) =>
        Plot.line(one.points, {
          x: "x",
          y: "y",
          stroke: one.colour,
          strokeWidth: 2,
          strokeDasharray: one.dash,
        }),
      ),
      ...series.map((one) => Plot.dot(one.points, { x: "x", y: "y", fill: one.colour, r: 3 })),
      Plot.tip(all, Plot.pointer({ x: "x", y: "y", title: "name", fill: "var(--paper)" })),
    ],
  });
}

/** The parts of a horizontal axis, of 1, that are near its ends. */
const EDGE = 0.2;
/** The days of the points, evenly thinned out to so many at most. */
function daysOf(days: Date[], most: number): Date[] {
  const known = [...new Set(days.map(Number))].sort((a, b) => a - b);
  const every = Math.ceil(known.length / most);
  return known.filter((_, at) => at % every === 0).map((day) => new Date(day));
}

function drawPoints(figure: PointsFigure, width: number): Drawn {
  const y = wrapAxis(figure.y, width);
  const groups = groupsOf(figure.points.map((point) => point.group));
  const labels = shortenAll(
    figure.points.map((point) => point.label),
    160,
  );
  const points = figure.points.map((point, at) => ({
    ...point,
    short: labels[at] ?? "",
    name: `${plainText(point.label)}\n${plainText(point.text)}`,
    ...lookOf(groups.get(point.group) ?? 0),
  }));
  const bars = points.filter((point) => point.low != null && point.high != null);
  // Near an edge, a label goes inwards: it would cover the ticks, or be cut.
  const [lowest, highest] = spanOf(
    points.map(({ x }) => x),
    figure.x.log,
  );
  const place = (x: number) => (figure.x.log ? Math.log(x) : x);
  const partOf = (x: number) => (place(x) - place(lowest)) / (place(highest) - place(lowest));
  const anchorOf = (x: number) =>
    partOf(x) < EDGE ? "start" : partOf(x) > 1 - EDGE ? "end" : "middle";
  return Plot.plot({
    width,
    height: Math.min(420, Math.max(260, width * 0.6)) + y.room,
    marginTop: OVER + y.room,
    marginLeft: 52,
    marginBottom: 42,
    marginRight: 40,
    x: {
      label: nameAxis(figure.x.label, 0.8 * width),
      type: figure.x.log ? "log" : "linear",
      nice: true,
      grid: true,
    },
    y: {
      label: y.text,
      type: figure.y.log ? "log" : "linear",
      nice: true,
      grid: true,
    },
    marks: [
      Plot.link(bars, {
        x1: "x",
        x2: "x",
        y1: "low",
        y2: "high",
        stroke: "colour",
        strokeOpacity: 0.5,
        strokeWidth: 2,
      }),
      Plot.dot(points, { x: "x", y: "y", fill: "fill", r: 4.5, stroke: "outline" }),
      ...(["start", "middle", "end"] as const).map((textAnchor) =>
        Plot.text(
          points.filter(({ x }) => anchorOf(x) === textAnchor),
          {
            x: "x",
            y: "y",
            text: "short",
            textAnchor,
            dx: textAnchor === "start" ? -4 : textAnchor === "end" ? 4 : 0,
            dy: -11,
            fill: "currentColor",
          },
        ),
      ),
      Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: "name", fill: "var(--paper)" })),
    ],
  });
}

/** The name of a group or a line, and how it is drawn. */
export interface LegendEntry {
  label: string;
  fill: string;
  outline: string;
  /** The dashes of a line; null for a disc. */
  dash: string | null;
}

/** Returns the names of groups or lines with their looks, where there are several. */
export function legendOf(figure: Figure): LegendEntry[] {
  if (figure.kind === "lines" && figure.series.length > 1)
    return figure.series.map(({ label, dashed }, index) => {
      const { colour, dash } = strokeOf(index, dashed);
      return { label, fill: colour, outline: colour, dash };
    });
  let labels: (string | null)[] = [];
  if (figure.kind === "dots") labels = [...groupsOf(figure.rows.map((row) => row.group)).keys()];
  if (figure.kind === "points")
    labels = [...groupsOf(figure.points.map((point) => point.group)).keys()];
  if (labels.length < 2) return [];
  return labels.map((label, index) => ({
    label: label ?? "other",
    ...lookOf(index),
    dash: null,
  }));
}
