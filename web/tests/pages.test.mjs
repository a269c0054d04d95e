// What each page of a run shows is what the run holds: every row and cell against the program's own
// JSON, or against what is counted from it here.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  addressOf,
  evenhand,
  launch,
  openWatched,
  QUICKSTART,
  serve,
  withAssets,
  WITHOUT_BIN,
} from "./browser.mjs";
import { makeSample, makeSliced, SYSTEMS } from "./sample.mjs";

let browser;
let sample;

before(async () => {
  if (WITHOUT_BIN) return;
  browser = await launch();
  sample = makeSample();
});
after(() => browser?.close());

async function openFile(route) {
  const { page, seen } = await openWatched(browser);
  await page.goto(`${addressOf(sample.folder, "report.html")}#/${route}`);
  await page.waitForSelector("h1");
  return { page, seen };
}

/** Reads a table's cells; spaces that do not break are spaces. */
function readTable(page, selector) {
  return page.$$eval(`${selector} tbody tr`, (rows) =>
    rows.map((row) =>
      [...row.children].map((cell) => cell.textContent.replaceAll("\u00a0", " ").trim()),
    ),
  );
}

const percent = (share, digits = 0) =>
  `${(100 * share).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} %`;

/** Says the rows of a ranking as its table should. */
function sayRanking(ranking) {
  const score = (value) => (value === null ? "–" : Math.round(value).toLocaleString("en"));
  const range = (ends, say) => (ends === null ? "–" : `${say(ends[0])} to ${say(ends[1])}`);
  return ranking.map((row) => [
    `${row.rank}`,
    row.system,
    score(row.score),
    range(row.ci, score),
    range(row.rank_ci, String),
    `${row.n}`,
  ]);
}

/** Reads the ranking; a column that would be empty is not there. */
async function readRanking(page) {
  const heads = await page.$$eval("table.ranking thead th", (cells) =>
    cells.map((cell) => cell.textContent),
  );
  const places = [/^Rank$/, /^System$/, /^Score$/, /% interval$/, /^Rank interval$/, /^Judgments$/];
  const columns = places.map((name) => heads.findIndex((head) => name.test(head)));
  const rows = await readTable(page, "table.ranking");
  return rows.map((cells) => columns.map((at) => cells[at] ?? "–"));
}

test("the ranking has every system with its figures, and every warning", {
  skip: WITHOUT_BIN,
}, async () => {
  const { page } = await openFile("");
  const { ranking, warnings, coverage } = sample.report;
  assert.deepEqual(await readRanking(page), sayRanking(ranking));
  const shown = await page.$$eval(".warnings .notice", (found) =>
    found.map((one) => one.textContent),
  );
  assert.equal(shown.length, warnings.length);
  for (const [at, warning] of warnings.entries()) assert.ok(shown[at].includes(warning), warning);
  assert.match(
    await page.textContent(".basis"),
    new RegExp(
      `${coverage.verdicts} verdicts of ${coverage.trials} judgments on ${sample.items.length} items`,
    ),
  );
  const figures = ranking.some(({ rank_ci: ends }) => ends) ? 2 : 1;
  await page.waitForFunction(
    (count) => document.querySelectorAll(".ranking-figures svg").length === count,
    figures,
  );
  assert.ok((await page.textContent(".lead")).includes(ranking[0].system));
  await page.close();
});

/** Wants the ranking of a slice, or that of all items where there is none. */
async function expectSlice(page, report, slice) {
  const start = slice
    ? `On ${slice.value || "items without category"}, `
    : report.ranking[0].system;
  await page.waitForFunction(
    (words) => document.querySelector(".lead")?.textContent.startsWith(words),
    start,
  );
  assert.deepEqual(await readRanking(page), sayRanking((slice ?? report).ranking));
  assert.equal(
    await page.inputValue("select[name=slice]"),
    slice ? `${report.slices.indexOf(slice)}` : "",
  );
  assert.equal(
    await page.locator(".notice:has-text('Too small')").count(),
    slice?.too_small ? 1 : 0,
  );
  // The figure is drawn after the table.
  await page.waitForFunction(
    ([systems, ranked]) => {
      const texts = [...document.querySelectorAll(".ranking-figures .drawing text")];
      const labels = texts.map((one) => one.textContent).filter((label) => systems.includes(label));
      return JSON.stringify(labels) === JSON.stringify(ranked);
    },
    [SYSTEMS, (slice ?? report).ranking.map(({ system }) => system)],
  );
}

for (const mode of ["file", "folder of runs"]) {
  test(`a slice is ranked by its own items, by choice, by address and by going back (${mode})`, {
    skip: WITHOUT_BIN,
  }, async (t) => {
    const { folder, report } = makeSliced();
    const base =
      mode === "file"
        ? `${addressOf(folder, "report.html")}#/`
        : `${(await serve(t, folder, ".")).url}#/run/sliced/`;
    const { page, seen } = await openWatched(browser);
    await withAssets(page);
    await page.goto(base);
    await page.waitForSelector("select[name=slice]");
    assert.deepEqual(
      await page.$$eval("main :is(input, select, textarea)", (found) =>
        found.map(({ name }) => name),
      ),
      ["slice"],
      "no control is without a test",
    );
    assert.equal(await page.textContent(".answer"), report.interaction.summary);
    assert.deepEqual(
      await page.$$eval("select[name=slice] option", (options) =>
        options.map((option) => option.textContent),
      ),
      [
        "all items",
        ...report.slices.map(
          ({ value, n_items: n, too_small: small }) =>
            `category = ${value || "(none)"} (${n} items${small ? ", too small" : ""})`,
        ),
      ],
    );
    assert.ok(
      report.slices.some(({ value }) => value === "") &&
        new Set(report.slices.map((one) => one.too_small)).size === 2,
    );
    await expectSlice(page, report, null);
    for (const [at, slice] of report.slices.entries()) {
      await page.selectOption("select[name=slice]", { value: `${at}` });
      await expectSlice(page, report, slice);
      assert.equal(page.url(), `${base}?slice=${slice.value}`);
    }
    for (const slice of [...report.slices.slice(0, -1).reverse(), null]) {
      await page.goBack();
      await expectSlice(page, report, slice);
    }
    for (const slice of report.slices) {
      await page.goto("about:blank");
      await page.goto(`${base}?slice=${slice.value}`);
      await expectSlice(page, report, slice);
    }
    await page.goto(`${base}?slice=prose`);
    await expectSlice(
      page,
      report,
      report.slices.find(({ value }) => value === "prose"),
    );
    await page.click("table.ranking a >> text=careful");
    await page.waitForSelector("text=/^33 of 180 rows match$/");
    assert.deepEqual(
      await page.$$eval(".chips button", (chips) => chips.map((chip) => chip.textContent)),
      ["system: careful ×", "category: prose ×"],
    );
    assert.deepEqual(seen.errors, []);
    await page.close();
  });
}

test("the matrix has the win share and consistency of each pair, seen from both sides", {
  skip: WITHOUT_BIN,
}, async () => {
  const { page } = await openFile("matrix");
  const order = sample.report.ranking.map(({ system }) => system);
  const expected = order.map((row) => [
    row,
    ...order.map((column) => (row === column ? "" : sayCell(row, column))),
  ]);
  assert.deepEqual(await readTable(page, "table.matrix"), expected);
  await page.close();
});

/** Says a cell of the matrix: each judgment with a verdict counts once, and a pair with any as
 * one. */
function sayCell(row, column) {
  const rows = sample.rows.filter(({ a, b }) => [a, b].includes(row) && [a, b].includes(column));
  const judged = rows.filter(({ p }) => p !== null);
  const shares = judged.map((one) => (one.a === row ? one.p : 1 - one.p));
  const both = rows.filter(({ consistent }) => consistent !== null);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return `${percent(mean)}n ${judged.length}${both.length ? `${both.filter(({ consistent }) => consistent).length}/${both.length} consistent` : "one order"}`;
}

test("a row has the item, both systems, both orders, the outcome with its marks, and the cost", {
  skip: WITHOUT_BIN,
}, async () => {
  const { page } = await openFile("judgments");
  await page.waitForSelector("tr.chosen a");
  const shown = (await readTable(page, ".rows")).slice(0, 12);
  for (const [at, cells] of shown.entries()) {
    const row = sample.rows[at];
    const [item, category, systems, , , outcome, confidence, cost] = cells;
    assert.ok(item.startsWith(row.item), item);
    assert.equal(category, row.category);
    assert.equal(systems, `${row.a}${row.b}`);
    const said = { a: row.a, b: row.b, tie: "tie", none: "no verdict" }[row.outcome];
    const against = row.people !== null && row.outcome !== "none" && row.people !== row.outcome;
    const marks = [
      row.flipped ? "flipped" : "",
      row.split ? "split" : "",
      against ? `people: ${{ a: row.a, b: row.b, tie: "tie" }[row.people]}` : "",
    ];
    assert.equal(outcome, `${said}${marks.join("")}`);
    assert.equal(confidence, row.confidence === null ? "–" : percent(row.confidence));
    assert.equal(cost, `$${row.cost.toFixed(2)}`);
    const orders = [
      [row.a, row.b],
      [row.b, row.a],
    ].map(([first, second]) =>
      sample.judgments.find(
        (one) => one.item === row.item && one.first === first && one.second === second,
      ),
    );
    for (const [cell, one] of orders.entries())
      if (one.failure) assert.equal(cells[3 + cell], one.failure);
      // Systems are named: a letter would be taken for the one in the judge's words.
      else assert.ok([row.a, row.b, "tie"].some((name) => cells[3 + cell].startsWith(name)));
  }
  assert.ok(shown.some((cells) => cells[3] === "unparsed" || cells[4] === "unparsed"));
  await page.close();
});

test("a judgment has the texts, both orders, each call's words and prompt", {
  skip: WITHOUT_BIN,
}, async () => {
  const row = sample.rows.find(({ failures, flipped }) => !failures.length && flipped);
  const { page } = await openFile(`judgment/${row.id}?as=text`);
  const orders = sample.judgments.filter(
    ({ item, first, second }) =>
      item === row.item && [first, second].sort().join() === [row.a, row.b].sort().join(),
  );
  assert.equal(orders.length, 2);
  const { instruction, responses } = orders.find(({ first }) => first === row.a);
  assert.equal(await page.textContent(".card pre.plain"), instruction);
  assert.deepEqual(
    await page.$$eval(".sides .card pre.plain", (found) => found.map((one) => one.textContent)),
    responses.map(({ text }) => text),
  );
  const words = await page.$$eval(".order-card", (cards) =>
    cards.map((card) => [...card.querySelectorAll("pre.words")].map((one) => one.textContent)),
  );
  assert.deepEqual(words.sort(), orders.map(({ calls }) => calls.map(({ reply }) => reply)).sort());
  const prompts = await page.$$eval(".order-card details pre.plain:not(.words)", (found) =>
    found.map((one) => one.textContent),
  );
  assert.ok(
    prompts.some(
      (prompt) =>
        prompt.includes(instruction) && responses.every(({ text }) => prompt.includes(text)),
    ),
  );
  assert.match(await page.textContent(".lead"), /changes with the order/);
  assert.match(await page.textContent(".facts"), new RegExp(`Category${row.category}`));
  for (const [mode, mark] of [
    ["Word diff", ".sides ins, .sides del, .sides mark, .sides .diff"],
    ["Markdown", ".sides .md"],
  ]) {
    await page.click(`nav.modes >> text=${mode}`);
    await page.waitForSelector(mark);
  }
  await page.close();
});

test("figures are drawn, and read as tables", { skip: WITHOUT_BIN }, async () => {
  const { page } = await openFile("figures");
  const figures = await page.locator("figure.figure").count();
  assert.ok(figures > 0);
  await page.waitForFunction(
    (count) => document.querySelectorAll("figure.figure .drawing svg").length >= count,
    figures,
  );
  const tables = await page.$$eval("figure.figure details table", (found) =>
    found.map((one) => one.textContent),
  );
  assert.equal(tables.length, figures);
  for (const system of SYSTEMS) assert.ok(tables[0].includes(system), system);
  await page.close();
});

test("a folder lists each run with its settings and counts, and two are compared pair by pair", {
  skip: WITHOUT_BIN,
}, async (t) => {
  evenhand(
    sample.folder,
    "rank",
    "--data",
    QUICKSTART,
    "--items",
    "4",
    "--judge",
    "simulated:accuracy=0.7",
    "--protocol",
    "pairwise/cot/swap",
    "--run",
    "other",
    "--quiet",
    "--no-reuse",
  );
  const { url } = await serve(t, sample.folder, ".");
  const { page, seen } = await openWatched(browser);
  await withAssets(page);
  await page.goto(url);
  await page.waitForSelector("text=2 runs in this folder.");
  const runs = JSON.parse(evenhand(sample.folder, "runs", ".", "--format", "json"));
  const listed = (await readTable(page, "main .scroll")).map(
    // What no run costs has no column.
    ([name, , data, judge, protocol, state, used]) => [name, data, judge, protocol, state, used],
  );
  const expected = runs.map((run) => [
    run.run.replace("./", ""),
    `${run.settings.data.split(", digest")[0]}, ${run.settings.systems.split(", ").length} systems`,
    run.settings.judge.replaceAll("\n", ", "),
    run.settings.protocol,
    `complete, ${run.judgments}${lostIn(run)}`,
    run.last_used,
  ]);
  assert.deepEqual(listed.sort(), expected.sort());

  const theirs = evenhand(sample.folder, "judgments", "other", "--format", "json")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const winners = new Map(
    theirs.map(({ item, first, second, row }) => [
      [item, ...[first, second].sort()].join(),
      row.winner,
    ]),
  );
  const common = sample.rows.filter((row) =>
    winners.has([row.item, ...[row.a, row.b].sort()].join()),
  );
  const changed = common.filter(
    (row) =>
      winners.get([row.item, ...[row.a, row.b].sort()].join()) !==
      (row.winner ?? (row.outcome === "none" ? null : row.outcome)),
  );
  assert.ok(changed.length > 0 && changed.length < common.length);
  await page.goto(`${url}#/run/sample/compare?with=other`);
  await page.waitForSelector(
    `text=${changed.length} of ${common.length} outcomes changed (${percent(changed.length / common.length, 1)}).`,
  );
  const compared = await readTable(page, "main .scroll");
  assert.equal(compared.length, common.length);
  const said = (row) => `${row.item}|${row.a} against ${row.b}`;
  assert.deepEqual(
    compared
      .slice(0, changed.length)
      .map(([item, pair]) => `${item}|${pair}`)
      .sort(),
    changed.map(said).sort(),
  );
  assert.deepEqual(seen.errors, []);
  await page.close();
});

function lostIn({ judgments, verdicts }) {
  return judgments === verdicts ? "" : `, ${judgments - verdicts} without a verdict`;
}
