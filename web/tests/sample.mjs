// A run in which every filter finds something, and its rows as one would write them down by hand:
// nothing here is shared with the pages.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evenhand, makeFolder, QUICKSTART } from "./browser.mjs";

export const SYSTEMS = [
  "careful",
  "smollm2-warm",
  "smollm2-hot",
  "smollm2-terse",
  "smollm2-offtopic",
];
const ITEMS = 5;
const JUDGES = [
  "simulated:accuracy=0.75,tie=0.15,invalid=0.4,refuse=0.15,first-slot=0.3",
  "simulated:accuracy=0.7,tie=0.1,invalid=0.4,refuse=0.15,first-slot=0.1,seed=3",
];
const PRICES = `date = "2026-01-01"

[[price]]
provider = "simulated"
model = "*"
input = 1000.0
output = 2000.0
source = "made up"
`;

/** Judges a few items by a panel, with labels of people and prices, into a run and a file. */
export function makeSample() {
  const folder = makeFolder("sample");
  const items = readLines("items.jsonl").slice(0, ITEMS);
  const labels = items.map(({ id }, at) => ({
    item: id,
    a: SYSTEMS[at % 4],
    b: SYSTEMS[(at % 4) + 1],
    preferred: ["a", "b", "tie"][at % 3],
  }));
  mkdirSync(join(folder, "data"));
  writeLines(folder, "data/items.jsonl", items);
  writeLines(
    folder,
    "data/responses.jsonl",
    readLines("responses.jsonl").filter(({ item }) => items.some(({ id }) => id === item)),
  );
  writeLines(folder, "data/labels.jsonl", labels);
  writeFileSync(join(folder, "prices.toml"), PRICES);
  const judges = JUDGES.flatMap((judge) => ["--judge", judge]);
  const report = JSON.parse(
    evenhand(
      folder,
      "rank",
      "--data",
      "data",
      ...judges,
      "--panel",
      "mean",
      "--protocol",
      "pairwise/cot/swap",
      "--run",
      "sample",
      "--prices",
      "prices.toml",
      "--report",
      "report.html",
      "--format",
      "json",
      "--quiet",
    ),
  );
  const judgments = evenhand(
    folder,
    "judgments",
    "sample",
    "--prices",
    "prices.toml",
    "--format",
    "json",
  )
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    folder,
    report,
    judgments,
    rows: writeRows(judgments, labels),
    items: items.map(({ id }) => id),
  };
}

/** Ranks a few systems by category, one of which has few items and one of which is blank, into a
 * run and a file. */
export function makeSliced() {
  const folder = makeFolder("sliced");
  const items = readLines("items.jsonl").map(({ category, ...item }, at) => ({
    ...item,
    ...(at < 13
      ? { category: "coding" }
      : at < 24
        ? { category: "prose" }
        : at < 27
          ? { category: "maths" }
          : {}),
  }));
  mkdirSync(join(folder, "data"));
  writeLines(folder, "data/items.jsonl", items);
  writeLines(
    folder,
    "data/responses.jsonl",
    readLines("responses.jsonl").filter(({ system }) => SYSTEMS.slice(0, 4).includes(system)),
  );
  const report = JSON.parse(
    evenhand(
      folder,
      "rank",
      "--data",
      "data",
      "--judge",
      "simulated:accuracy=0.7",
      "--run",
      "sliced",
      "--by",
      "category",
      "--report",
      "report.html",
      "--format",
      "json",
      "--quiet",
    ),
  );
  return { folder, report };
}

function readLines(name) {
  return readFileSync(join(QUICKSTART, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function writeLines(folder, name, rows) {
  writeFileSync(join(folder, name), rows.map((row) => JSON.stringify(row)).join("\n"));
}

function writeRows(judgments, labels) {
  const rows = [];
  for (const [item] of new Map(judgments.map((one) => [one.item, one])))
    for (const a of SYSTEMS)
      for (const b of SYSTEMS) {
        const find = (first, second) =>
          judgments.find(
            (one) => one.item === item && one.first === first && one.second === second,
          );
        if (SYSTEMS.indexOf(a) < SYSTEMS.indexOf(b))
          rows.push(writeRow(find(a, b), find(b, a), labels));
      }
  return rows.sort((one, other) => one.id - other.id);
}

/** Both orders in terms of a, which is shown first in one of them and second in the other. */
function writeRow(ab, ba, labels) {
  const both = [ab, ba];
  const forA = ab.failure ? null : [ab.p_first, ab.p_tie, ab.p_second];
  const forAToo = ba.failure ? null : [ba.p_second, ba.p_tie, ba.p_first];
  const known = [forA, forAToo].filter((one) => one !== null);
  const mean = known.length
    ? [0, 1, 2].map((at) => known.reduce((sum, one) => sum + one[at], 0) / known.length)
    : null;
  const label = labels.find(
    ({ item, a, b }) => item === ab.item && a === ab.first && b === ab.second,
  );
  const outcome = mean ? sideOf(mean) : "none";
  const texts = [
    ab.instruction,
    ...ab.responses.map(({ text }) => text),
    ...both.flatMap(({ calls }) => calls.map(({ reply }) => reply ?? "")),
  ];
  return {
    id: Math.min(ab.trial, ba.trial),
    item: ab.item,
    category: ab.category,
    a: ab.first,
    b: ab.second,
    outcome,
    winner: { a: ab.first, b: ab.second }[outcome] ?? null,
    p: mean && mean[0] + mean[1] / 2,
    confidence: mean && Math.abs(2 * (mean[0] + mean[1] / 2) - 1),
    flipped: known.length === 2 && [sideOf(forA), sideOf(forAToo)].sort().join() === "a,b",
    split: both.some(
      ({ looks }) =>
        new Set(
          looks.flatMap(({ outcome: { Ok: found } }) =>
            found ? [sideOf([found.first, found.tie, found.second])] : [],
          ),
        ).size > 1,
    ),
    people: label?.preferred ?? null,
    failures: both.flatMap(({ failure }) => failure ?? []),
    cost: ab.cost_usd + ba.cost_usd,
    texts: texts.map((text) => text.toLowerCase()),
    consistent: known.length === 2 ? sideOf(forA) === sideOf(forAToo) : null,
    judged: known.length,
  };
}

function sideOf([a, tie, b]) {
  if (a > tie && a > b) return "a";
  return b > tie && b > a ? "b" : "tie";
}
