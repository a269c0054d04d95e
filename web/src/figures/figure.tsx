import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Figure, LinesFigure } from "../source/types";
import { formatNumber, formatScore } from "../text/format";
import { plainText, Shown } from "../text/visible";
import { drawFigure, legendOf } from "./draw";

/** A figure that one can hover over, and read as a table. */
export function FigureView({ figure }: { figure: Figure }) {
  const [chosen, setChosen] = useState<number[] | null>(null);
  const drawn = useMemo(() => drawnOf(figure, chosen), [figure, chosen]);
  return (
    <figure class="figure">
      <h2>
        <Shown text={figure.title} />
      </h2>
      {figure.kind === "lines" && figure.drawn !== undefined && (
        <Lines
          figure={figure}
          chosen={chosen ?? [...figure.series.keys()].slice(0, figure.drawn)}
          choose={setChosen}
        />
      )}
      <Legend figure={drawn} />
      <Drawing figure={drawn} />
      {figure.note && (
        <figcaption>
          <Shown text={figure.note} />
        </figcaption>
      )}
      <details>
        <summary>As a table</summary>
        <div
          class="scroll"
          tabIndex={0}
          role="group"
          aria-label={`Table of ${plainText(figure.title)}`}
        >
          <FigureTable figure={figure} />
        </div>
      </details>
    </figure>
  );
}

/** Rows of a figure that leaves room on the first screen for what stands below it. */
export const FEW_ROWS = 14;

/** Whether what stands below a figure is seen with it. */
export function isLow(figure: Figure): boolean {
  return !("rows" in figure) || figure.rows.length <= FEW_ROWS;
}

/** The figure with the lines that are chosen, or those that matter most. */
function drawnOf(figure: Figure, chosen: number[] | null): Figure {
  if (figure.kind !== "lines" || figure.drawn === undefined) return figure;
  const at = chosen ?? [...figure.series.keys()].slice(0, figure.drawn);
  return { ...figure, series: figure.series.filter((_, index) => at.includes(index)) };
}

/** Of many lines, which are drawn. */
function Lines({
  figure,
  chosen,
  choose,
}: {
  figure: LinesFigure;
  chosen: number[];
  choose: (chosen: number[]) => void;
}) {
  return (
    <details class="no-print">
      <summary>
        Choose lines{" "}
        <small>
          {formatNumber(chosen.length)} of {formatNumber(figure.series.length)} are drawn
        </small>
      </summary>
      <fieldset class="choice">
        <legend class="note">Lines that are drawn</legend>
        {figure.series.map(({ label }, index) => (
          <label key={index}>
            <input
              type="checkbox"
              checked={chosen.includes(index)}
              onChange={(event) =>
                choose(
                  event.currentTarget.checked
                    ? [...chosen, index]
                    : chosen.filter((at) => at !== index),
                )
              }
            />{" "}
            <Shown text={label} />
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function Legend({ figure }: { figure: Figure }) {
  const entries = legendOf(figure);
  if (!entries.length) return null;
  return (
    <ul class="legend">
      {entries.map(({ label, fill, outline, dash }, index) => (
        <li key={index}>
          {dash === null ? (
            <span class="swatch" style={{ background: fill, outlineColor: outline }} />
          ) : (
            <svg class="stroke" width="24" height="8" aria-hidden="true">
              <line
                x2="24"
                y1="4"
                y2="4"
                stroke={outline}
                stroke-width="2.5"
                stroke-dasharray={dash}
              />
            </svg>
          )}
          <Shown text={label} />
        </li>
      ))}
    </ul>
  );
}

export function Drawing({ figure }: { figure: Figure }) {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const measure = () => setWidth(Math.round(element.clientWidth) || 640);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = holder.current;
    if (!width || !element) return;
    const drawn = hideParts(drawFigure(figure, Math.min(width, 960)));
    element.replaceChildren(drawn);
    // What is wider than its card is scrolled, by keys too.
    const isWide = Number(drawn.getAttribute("width")) > width;
    element.classList.toggle("scroll", isWide);
    if (isWide) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  }, [figure, width]);
  return (
    <div
      class="drawing"
      ref={holder}
      role="img"
      aria-label={`${plainText(figure.title)}; the numbers are in the table`}
    />
  );
}

/** The drawing has one name as a whole: its parts need none. */
function hideParts(drawn: SVGSVGElement | HTMLElement): SVGSVGElement | HTMLElement {
  for (const part of drawn.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  return drawn;
}

function tableOf(figure: Figure): { head: string[]; body: string[][] } {
  switch (figure.kind) {
    case "dots": {
      // Where a row's name stands at several points, their groups tell them apart.
      const isRepeated = new Set(figure.rows.map(({ label }) => label)).size < figure.rows.length;
      return {
        head: ["", figure.axis.label, "low", "high", ""],
        body: figure.rows.map((row) => [
          isRepeated && row.group !== null ? `${row.label}, ${row.group}` : row.label,
          ...[row.value, row.low, row.high].map(formatScore),
          row.text,
        ]),
      };
    }
    case "grid":
      return {
        head: ["", ...figure.columns],
        body: figure.rows.map((label, y) => [
          label,
          ...(figure.cells[y] ?? []).map((cell) => cell?.text ?? "–"),
        ]),
      };
    case "lines":
      return {
        head: ["", figure.x.label, figure.y.label, ""],
        body: figure.series.flatMap((one) =>
          one.points.map((point) => [
            one.label,
            formatScore(point.x),
            formatScore(point.y),
            point.text,
          ]),
        ),
      };
    case "points":
      return {
        head: ["", figure.x.label, figure.y.label, "low", "high", ""],
        body: figure.points.map((point) => [
          point.label,
          ...[point.x, point.y, point.low, point.high].map(formatScore),
          point.text,
        ]),
      };
  }
}

function FigureTable({ figure }: { figure: Figure }) {
  const { head, body } = tableOf(figure);
  return (
    <table class="numbers">
      <thead>
        <tr>
          {head.map((cell, index) =>
            cell ? (
              <th key={index} scope="col">
                <Shown text={cell} />
              </th>
            ) : (
              <td key={index} />
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {body.map((row, at) => (
          <tr key={at}>
            {row.map((cell, index) =>
              index ? (
                <td key={index} class="num">
                  <Shown text={cell} />
                </td>
              ) : (
                <th key={index} scope="row">
                  <Shown text={cell} />
                </th>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
