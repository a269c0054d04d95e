import { useEffect, useRef, useState } from "preact/hooks";
import type { Figure } from "../source/types";
import { formatScore } from "../text/format";
import { plainText, Shown } from "../text/visible";
import { drawFigure, legendOf } from "./draw";

/** A figure that one can hover over, and read as a table. */
export function FigureView({ figure }: { figure: Figure }) {
  return (
    <figure class="figure">
      <h3>
        <Shown text={figure.title} />
      </h3>
      <Legend figure={figure} />
      <Drawing figure={figure} />
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
          role="region"
          aria-label={`Table of ${plainText(figure.title)}`}
        >
          <FigureTable figure={figure} />
        </div>
      </details>
    </figure>
  );
}

function Legend({ figure }: { figure: Figure }) {
  const entries = legendOf(figure);
  if (!entries.length) return null;
  return (
    <ul class="legend">
      {entries.map(({ label, fill, outline }, index) => (
        <li key={index}>
          <span class="swatch" style={{ background: fill, outlineColor: outline }} />
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
    case "dots":
      return {
        head: ["", figure.axis.label, "low", "high", ""],
        body: figure.rows.map((row) => [
          row.label,
          ...[row.value, row.low, row.high].map(formatScore),
          row.text,
        ]),
      };
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
    <table>
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
