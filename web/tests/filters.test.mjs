// Every filter, by its control on the page where there is one and by the address where there is
// none: the rows shown are those that a slow and obvious search of the run's judgments gives.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { addressOf, launch, openWatched, serve, withAssets, WITHOUT_BIN } from "./browser.mjs";
import { makeSample, SYSTEMS } from "./sample.mjs";

let browser;
let sample;

before(async () => {
  if (WITHOUT_BIN) return;
  browser = await launch();
  sample = makeSample();
});
after(() => browser?.close());

const pairs = SYSTEMS.slice(1).flatMap((b, at) => SYSTEMS.slice(0, at + 1).map((a) => [a, b]));
const holds = (value, range) =>
  value !== null &&
  (range[0] === "" || value >= Number(range[0])) &&
  (range[1] === "" || value <= Number(range[1]));

/** What stands between two of the middle costs, so that no sum ends just there. */
function middleCost() {
  const costs = sample.rows.map(({ cost }) => cost).sort((one, other) => one - other);
  const middle = costs.length / 2;
  return (costs[middle - 1] + costs[middle]) / 2;
}

/** Each filter with what sets it, what it is set to beside what a choice offers, and which rows it
 * keeps. */
const FILTERS = {
  system: { by: "choice", keeps: (row, name) => [row.a, row.b].includes(name) },
  winner: { by: "choice", keeps: (row, name) => row.winner === name },
  category: { by: "choice", keeps: (row, name) => row.category === name },
  outcome: { by: "choice", keeps: (row, name) => row.outcome === name },
  people: {
    by: "choice",
    keeps: (row, said) =>
      row.people !== null &&
      { any: true, agree: row.people === row.outcome, disagree: row.people !== row.outcome }[said],
  },
  failure: {
    by: "choice",
    keeps: (row, kind) => (kind === "any" ? row.failures.length > 0 : row.failures.includes(kind)),
  },
  text: {
    by: "words",
    values: () => ["moon", "THEIR Merits", "(saturday)", "saturday", "nowhere at all"],
    keeps: (row, words) => row.texts.some((text) => text.includes(words.toLowerCase())),
  },
  item: { by: "words", values: () => sample.items, keeps: (row, item) => row.item === item },
  confidence: {
    by: "words",
    values: () => ["0..0.2", "..0.5", "0.5..", "0.25..0.75"],
    keeps: (row, range) => holds(row.confidence, range.split("..")),
  },
  cost: {
    by: "words",
    values: () => [`..${middleCost()}`, `${middleCost()}..`, "1000.."],
    keeps: (row, range) => holds(row.cost, range.split(/\.\.(?=\d|$)/)),
  },
  flipped: { by: "box", values: () => ["0"], keeps: (row, is) => row.flipped === (is === "1") },
  split: { by: "box", values: () => ["0"], keeps: (row, is) => row.split === (is === "1") },
  pair: {
    by: "address",
    values: () => pairs.slice(0, 4).map(([a, b], at) => (at % 2 ? `${a}~${b}` : `${b}~${a}`)),
    keeps: (row, pair) => pair.split("~").sort().join() === [row.a, row.b].sort().join(),
  },
};

/** What decides which rows come first, and which are left out. */
const ORDERS = {
  sort: { by: "choice" },
  offset: { by: "address" },
  limit: { by: "server" },
};

const FIGURES = {
  confidence: (row) => row.confidence,
  cost: (row) => row.cost,
  item: (row) => sample.items.indexOf(row.item),
};

function sortRows(rows, order) {
  const down = order.startsWith("-") ? -1 : 1;
  const figure = (row) => {
    const found = FIGURES[order.replace("-", "")](row);
    return found === null ? Infinity : down * found;
  };
  return [...rows].sort((one, other) =>
    figure(one) === figure(other) ? one.id - other.id : figure(one) - figure(other),
  );
}

const idsOf = (rows) => rows.map(({ id }) => id);

/** Reads the rows, what is said of their number, and the filters in force; nothing while rows are
 * fetched. */
function readShown() {
  const rows = [...document.querySelectorAll(".rows tbody tr[aria-rowindex]")];
  const links = rows.map((row) => row.querySelector("th a"));
  const said = document.querySelector("p[role=status]")?.textContent ?? "";
  if (links.includes(null) || said === "Reading…" || said === "") return null;
  return {
    said,
    ids: links.map((link) => Number(link.getAttribute("href").match(/judgment\/(\d+)/)[1])),
    chips: [...document.querySelectorAll(".chips button")].map((chip) => chip.textContent),
  };
}

function saySaid(count) {
  if (count === 0) return "No judgment matches.";
  return count === sample.rows.length
    ? `${count} pairs, both orders of each in one row`
    : `${count} of ${sample.rows.length} rows match`;
}

/** Waits until these rows are shown under these filters; fails with what is shown else. */
async function expectShown(page, rows, chips, total = rows.length) {
  const expected = { said: saySaid(total), ids: idsOf(rows), chips };
  let shown = null;
  for (let tries = 0; tries < 250; tries += 1) {
    shown = await page.evaluate(readShown);
    if (isDeepStrictEqual(shown, expected)) return;
    await page.waitForTimeout(20);
  }
  assert.deepEqual(shown, expected);
}

const SET = {
  choice: (page, name, value) => page.selectOption(`[role=search] select[name=${name}]`, { value }),
  words: async (page, name, value) => {
    await page.fill(`[role=search] input[name=${name}]`, value);
    await page.keyboard.press("Enter");
  },
  box: (page, name) => page.check(`[role=search] input[name=${name}]`),
  address: (page, name, value) =>
    page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      `#/judgments?${new URLSearchParams({ [name]: value })}`,
    ),
};

/** Sets a filter, and wants its rows; returns how many it keeps. */
async function tryFilter(page, by, name, value) {
  const kept = sample.rows.filter((row) => FILTERS[name].keeps(row, value));
  await SET[by](page, name, value);
  await expectShown(page, kept, [`${name}: ${value} ×`]);
  return kept.length;
}

/** Sets each filter to each value, and takes it away by its chip. */
async function tryEachFilter(page) {
  for (const [name, { by, values }] of Object.entries(FILTERS)) {
    const offered = by === "choice" ? await listOffered(page, name) : by === "box" ? ["1"] : [];
    const counts = [];
    for (const value of offered) counts.push(await tryFilter(page, by, name, value));
    for (const value of values?.() ?? [])
      counts.push(await tryFilter(page, by === "words" ? by : "address", name, value));
    assert.ok(
      counts.some((count) => count > 0 && count < sample.rows.length),
      `${name} tells rows apart`,
    );
    await page.click(".chips button");
    await expectShown(page, sample.rows, []);
  }
}

function listOffered(page, name) {
  return page.$$eval(`[role=search] select[name=${name}] option`, (options) =>
    options.map(({ value }) => value).filter(Boolean),
  );
}

async function tryOrders(page) {
  for (const order of await listOffered(page, "sort")) {
    await SET.choice(page, "sort", order);
    await expectShown(page, sortRows(sample.rows, order), []);
  }
  await SET.choice(page, "sort", "");
  await expectShown(page, sample.rows, []);
  await SET.address(page, "offset", "45");
  await expectShown(page, sample.rows.slice(45), [], sample.rows.length);
}

/** Sets one filter after the other: a row must pass all of them. */
async function tryTogether(page) {
  const set = [
    ["system", "careful"],
    ["outcome", "a"],
    ["confidence", "0.3.."],
    ["flipped", "1"],
  ];
  await SET.address(page, "split", "1");
  let kept = sample.rows.filter(({ split }) => split);
  const chips = ["split: 1 ×"];
  for (const [name, value] of set.slice(0, 3)) {
    await SET[FILTERS[name].by](page, name, value);
    kept = kept.filter((row) => FILTERS[name].keeps(row, value));
    chips.push(`${name}: ${value} ×`);
    await expectShown(page, kept, chips);
  }
  assert.ok(kept.length > 0);
  await page.click("text=remove all");
  await expectShown(page, sample.rows, []);
}

/** Opens the judgments on a screen so high that all rows are drawn. */
async function openAll(t, mode) {
  const url =
    mode === "file"
      ? addressOf(sample.folder, "report.html")
      : (await serve(t, sample.folder, "sample", "--prices", "prices.toml")).url;
  const { page, seen } = await openWatched(browser, { viewport: { width: 1280, height: 3400 } });
  if (mode === "server") await withAssets(page);
  await page.goto(`${url}#/judgments`);
  await expectShown(page, sample.rows, []);
  return { page, seen, url };
}

for (const mode of ["file", "server"]) {
  test(`each filter shows just the rows that pass (${mode})`, { skip: WITHOUT_BIN }, async (t) => {
    const { page, seen } = await openAll(t, mode);
    await tryEachFilter(page);
    await tryOrders(page);
    await tryTogether(page);
    assert.deepEqual(seen.errors, []);
    await page.close();
  });

  test(`no filter is without a test (${mode})`, { skip: WITHOUT_BIN }, async (t) => {
    const { page, url } = await openAll(t, mode);
    const known = { ...FILTERS, ...ORDERS };
    const controls = await page.$$eval("[role=search] input, [role=search] select", (found) =>
      found.map(({ name }) => name),
    );
    assert.deepEqual(
      controls.sort(),
      Object.keys(known)
        .filter((name) => ["choice", "words", "box"].includes(known[name].by))
        .sort(),
    );
    await page.goto(`${url}#/judgments?no-such-filter=1`);
    const words = await page.textContent("text=there is no such filter");
    assert.deepEqual(
      words.split("expected one of ")[1].split(", ").sort(),
      Object.keys(known).sort(),
    );
    await page.close();
  });
}

test("a page of rows is as long as was asked for", { skip: WITHOUT_BIN }, async (t) => {
  const { url } = await serve(t, sample.folder, "sample");
  const found = await (await fetch(`${url}api/rows?limit=7&offset=3`)).json();
  assert.deepEqual(
    [found.total, idsOf(found.rows)],
    [sample.rows.length, idsOf(sample.rows.slice(3, 10))],
  );
});

test("what a page counts leads to just these rows", { skip: WITHOUT_BIN }, async () => {
  const { page } = await openWatched(browser, { viewport: { width: 1280, height: 3400 } });
  const address = addressOf(sample.folder, "report.html");
  const open = async (route, link, name, value) => {
    await page.goto("about:blank");
    await page.goto(`${address}#/${route}`);
    await page.click(link);
    const kept = sample.rows.filter((row) => FILTERS[name].keeps(row, value));
    await expectShown(page, kept, [`${name}: ${value} ×`]);
    return kept.length;
  };
  const { rows } = sample;
  const flipped = rows.filter((row) => row.flipped).length;
  const split = rows.filter((row) => row.split).length;
  const against = rows.filter((row) => row.people !== null && row.people !== row.outcome).length;
  await open("", `.basis a >> text=${flipped} pairs flip`, "flipped", "1");
  await open("", `.basis a >> text=${split} split votes`, "split", "1");
  await open(
    "",
    `.basis li:has-text("people disagree with the judge on ${against} of ${rows.filter((row) => row.people !== null).length}") a`,
    "people",
    "disagree",
  );
  for (const kind of new Set(rows.flatMap(({ failures }) => failures)))
    await open(
      "",
      `.basis a >> text=${rows.flatMap(({ failures }) => failures).filter((one) => one === kind).length} without a verdict: ${kind}`,
      "failure",
      kind,
    );
  for (const system of SYSTEMS.slice(0, 2))
    await open("", `table.ranking a >> text="${system}"`, "system", system);
  for (const [a, b] of pairs.slice(0, 4))
    assert.equal(
      await open("matrix", `table.matrix a[title="${a} against ${b}"]`, "pair", `${a}~${b}`),
      sample.items.length,
    );
  await page.close();
});
