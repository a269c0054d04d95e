/** Draws descriptions of figures by Observable Plot; labels come from data and are only ever
 * text. */

import * as Plot from "@observablehq/plot";
import type { DotsFigure, Figure, GridFigure, LinesFigure, PointsFigure } from "../source/types";
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

function shorten(text: string, room: number): string {
  return shortenAll([text], room)[0]!;
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
  const [lowest, highest] = spanOf(
    figure.rows.flatMap(({ value, low, high, mark }) => [value, low, high, mark ?? null]),
  );
  const rows = figure.rows.map((row, y) => ({
    ...row,
    y,
    from: row.low ?? lowest,
    to: row.high ?? highest,
    ...lookOf(groups.get(row.group) ?? 0),
  }));
  const known = rows.filter((row) => row.value !== null);
  const bars = rows.filter((row) => row.low !== null || row.high !== null);
  const marks = rows.filter((row) => row.mark != null);
  return Plot.plot({
    width,
    height: 66 + (above ? 44 : 30) * rows.length,
    marginLeft,
    marginTop: 22,
    marginBottom: 44,
    marginRight: 24,
    x: {
      label: shorten(figure.axis.label, 0.8 * width),
      labelOffset: 38,
      type: figure.axis.log ? "log" : "linear",
      domain: [lowest, highest],
      grid: true,
      nice: true,
    },
    y: {
      type: "point",
      padding: 0.5,
      domain: rows.map((row) => row.y),
      label: null,
      tickSize: 0,
      tickFormat: (y: number) => (above ? "" : (labels[y] ?? "")),
    },
    marks: [
      Plot.text(above ? rows : [], {
        frameAnchor: "left",
        y: "y",
        dy: -17,
        text: (row: { y: number }) => labels[row.y] ?? "",
      }),
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
      Plot.dot(known, { x: "value", y: "y", r: 5, fill: "fill", stroke: "outline" }),
      Plot.text(
        rows.filter((row) => row.value === null),
        {
          x: lowest,
          y: "y",
          text: (row: { text: string }) => shorten(row.text, width - marginLeft),
          textAnchor: "start",
          dx: 4,
          fill: "var(--muted)",
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
  const margins = { marginLeft: 52, marginRight: 24, marginTop: 26 };
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
    height: 26 + rows * (190 + below),
    marginBottom: below,
    fx: { domain: Array.from({ length: inRow }, (_, x) => x), axis: null, padding: gap },
    fy: {
      domain: Array.from({ length: rows }, (_, y) => y),
      axis: null,
      padding: rows > 1 ? below / (190 + below) : 0,
    },
    x: { type: "band", domain: [...groups.values()], axis: null, padding: 0.1 },
    y: {
      label: shorten(figure.axis.label, 0.8 * width),
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

/** The lowest and the highest of the numbers that are known. */
function spanOf(values: (number | null)[]): [number, number] {
  const known = values.filter((value): value is number => value !== null);
  if (!known.length) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return low < high ? [low, high] : [low - 1, high + 1];
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
          isTwoSided ? (0.6 * Math.abs(cell.value ?? 0)) / most : 0.08 + 0.5 * part(cell.value),
        inset: 1,
      }),
      Plot.text(cells, { x: "x", y: "y", text: "text", fill: "currentColor" }),
    ],
  });
}

function drawLines(figure: LinesFigure, width: number): Drawn {
  const series = figure.series.map((one, index) => ({
    ...one,
    colour: COLOURS[index % COLOURS.length]!,
    dash: one.dashed ? "4 4" : DASHES[Math.floor(index / COLOURS.length) % DASHES.length]!,
    points: one.points.map((point) => ({
      ...point,
      name: `${plainText(one.label)}\n${plainText(point.text)}`,
    })),
  }));
  const all = series.flatMap((one) => one.points);
  const barsOf = (one: (typeof series)[number]) =>
    one.points.filter((point) => point.low != null && point.high != null);
  return Plot.plot({
    width,
    height: Math.min(360, Math.max(240, width * 0.55)),
    marginLeft: 52,
    marginBottom: 42,
    x: { label: plainText(figure.x.label), type: figure.x.log ? "log" : "linear", nice: true },
    y: {
      label: plainText(figure.y.label),
      type: figure.y.log ? "log" : "linear",
      domain: spanOf(all.flatMap(({ y, low, high }) => [y, low ?? null, high ?? null])),
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

function drawPoints(figure: PointsFigure, width: number): Drawn {
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
  return Plot.plot({
    width,
    height: Math.min(420, Math.max(260, width * 0.6)),
    marginLeft: 52,
    marginBottom: 42,
    marginRight: 40,
    x: {
      label: plainText(figure.x.label),
      type: figure.x.log ? "log" : "linear",
      nice: true,
      grid: true,
    },
    y: {
      label: plainText(figure.y.label),
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
      Plot.text(points, { x: "x", y: "y", text: "short", dy: -11, fill: "currentColor" }),
      Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: "name", fill: "var(--paper)" })),
    ],
  });
}

/** Returns the names of groups or series with their looks, where there are several. */
export function legendOf(figure: Figure): { label: string; fill: string; outline: string }[] {
  let labels: (string | null)[] = [];
  if (figure.kind === "lines") labels = figure.series.map((one) => one.label);
  if (figure.kind === "dots") labels = [...groupsOf(figure.rows.map((row) => row.group)).keys()];
  if (figure.kind === "points")
    labels = [...groupsOf(figure.points.map((point) => point.group)).keys()];
  if (labels.length < 2) return [];
  return labels.map((label, index) => ({
    label: label ?? "other",
    // Lines whose colour is there already have dashes.
    ...lookOf(figure.kind === "lines" ? index % COLOURS.length : index),
  }));
}
