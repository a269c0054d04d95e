/** Labels of a figure, cut to their room. As `fit_all` of crates/report/src/figures/svg/text.rs: a
 * label is cut only as far as those that differ stay different. */

import { plainText } from "../text/visible";

/** Returns the labels as they fit: cut at the end, else in the middle, so that what they differ in
 * is seen, else with a number behind. */
export function shortenAll(labels: string[], room: number): string[] {
  const fits = Math.max(4, Math.floor((room - 12) / 6.6));
  const whole = labels.map(plainText);
  const shown = whole.map((label) => cut(label, fits));
  for (const alike of lookAlikes(labels, shown)) {
    const same = startOfDifference(alike.map((at) => whole[at]!));
    for (const at of alike) {
      const end = cut(whole[at]!.slice(same), Math.floor(0.75 * fits));
      shown[at] = cut(whole[at]!, Math.max(1, fits - end.length)) + end;
    }
  }
  // Each round numbers a label more, and numbers of different labels differ.
  for (;;) {
    const alike = lookAlikes(labels, shown).flat();
    if (!alike.length) return shown;
    for (const at of alike) {
      const number = ` (${labels.indexOf(labels[at]!) + 1})`;
      shown[at] = cut(whole[at]!, Math.max(1, fits - number.length)) + number;
    }
  }
}

/** Returns the labels in lines of so many letters, each at most `most` lines, as `wrap_all` of the
 * same file: those that differ stay different, with a number behind them where they have to be. */
export function wrapAll(labels: string[], letters: number, most: number): string[] {
  const shown = labels.map((label) => wrap(plainText(label), letters, most).join("\n"));
  for (;;) {
    const alike = lookAlikes(labels, shown).flat();
    if (!alike.length) return shown;
    for (const at of alike) {
      const number = ` (${labels.indexOf(labels[at]!) + 1})`;
      const lines = wrap(plainText(labels[at]!), letters, most);
      const last = cut(lines.pop() ?? "", Math.max(1, letters - number.length));
      shown[at] = [...lines, last + number].join("\n");
    }
  }
}

function wrap(text: string, letters: number, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    // The last line takes all words that are left, and is cut.
    if (line && longer.length > letters && lines.length + 1 < most) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((one) => cut(one, letters));
}

function cut(text: string, letters: number): string {
  return text.length > letters ? `${text.slice(0, letters - 1).trimEnd()}…` : text;
}

/** The places of labels that differ and are shown as one, those of each together. */
function lookAlikes(labels: string[], shown: string[]): number[][] {
  const places = new Map<string, number[]>();
  for (const [at, text] of shown.entries()) places.set(text, [...(places.get(text) ?? []), at]);
  return [...places.values()].filter((alike) => new Set(alike.map((at) => labels[at])).size > 1);
}

/** How many letters all of them begin with, as far as the last word that all have whole. */
function startOfDifference(labels: string[]): number {
  const [first = "", ...others] = labels;
  let same = first.length;
  for (const other of others) {
    let at = 0;
    while (at < same && first[at] === other[at]) at += 1;
    same = at;
  }
  const end = first.slice(0, same).search(/[^\p{L}\p{N}][\p{L}\p{N}]*$/u);
  return end < 0 ? same : end + 1;
}
