// A figure of bars is drawn as bars: each from 0 to its value, with its interval and its mark.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ASSETS, findWide, launch, makeFolder, openWatched } from "./browser.mjs";
import { makeReport, writeFilePage } from "./synthetic.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const read = (name) => readFileSync(join(ASSETS, name), "utf8");

/** Opens a report with this figure alone, in a window of this width. */
async function openFigure(figure, width) {
  const data = makeReport({ change: (overview) => ({ ...overview, figures: [figure] }) });
  const file = join(makeFolder("bars"), "report.html");
  const [page, script, sheet] = ["index.html", "app.js", "app.css"].map(read);
  writeFileSync(file, writeFilePage({ page, script, sheet, data }));
  const opened = await openWatched(browser, { viewport: { width, height: 900 } });
  await opened.page.goto(`${pathToFileURL(file).href}#/figures`);
  await opened.page.waitForSelector(".drawing svg :is(rect, circle)");
  return opened;
}

function makeBars(labels, groups) {
  const value = (at, number) => (((7 * at + 3 * number) % 10) - 2) / 10;
  const rows = labels.flatMap((label, at) =>
    groups.map((group, number) => ({
      label,
      group,
      value: value(at, number),
      low: number ? value(at, number) - 0.1 : null,
      high: value(at, number) + 0.1,
      text: `${value(at, number)}`,
      mark: 0.5,
    })),
  );
  rows.push({
    label: labels[0],
    group: "nothing",
    value: null,
    low: null,
    high: null,
    text: "undefined",
  });
  return { kind: "dots", title: "Shares", axis: { label: "share" }, bars: true, rows };
}

/** The boxes of the marks of one kind, in pixels from the left and from the top. */
const boxesOf = (page, mark) =>
  page.$$eval(mark, (found) =>
    found.map((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { left, right, top, bottom, text: one.textContent };
    }),
  );

for (const [labels, groups, width] of [
  [["one form"], ["a", "b"], 1280],
  [
    ["strong, relation", "strong, score", "weak, relation"],
    ["portia:3", "length", "content"],
    1280,
  ],
  [["strong, relation", "strong, score", "weak, relation"], ["portia:3", "length", "content"], 390],
  [
    Array.from({ length: 30 }, (_, at) => `a judge of a longer name, form ${at}`),
    [..."abcdefgh"],
    1000,
  ],
]) {
  test(`${labels.length} labels of ${groups.length} bars, ${width} pixels wide`, async () => {
    const figure = makeBars(labels, groups);
    const { page, seen } = await openFigure(figure, width);
    assert.deepEqual(seen.errors, []);
    assert.deepEqual(await findWide(page), []);
    const bars = await boxesOf(page, ".drawing svg rect");
    assert.equal(bars.length, labels.length * groups.length);
    // A bar of twice the value is twice as high, and nothing stands on a bar but its own marks.
    const known = figure.rows.filter((row) => row.value !== null);
    const heights = bars.map(({ top, bottom }) => bottom - top - 1);
    const unit = Math.max(...heights) / Math.max(...known.map(({ value }) => Math.abs(value)));
    const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
    const expected = sorted(known.map(({ value }) => unit * Math.abs(value)));
    for (const [at, height] of sorted(heights).entries())
      assert.ok(Math.abs(height - expected[at]) < 2, `${height}, not ${expected[at]}`);
    for (const [a, one] of bars.entries())
      for (const other of bars.slice(a + 1)) {
        const beside = one.right <= other.left + 1.5 || other.right <= one.left + 1.5;
        const below = one.bottom <= other.top || other.bottom <= one.top;
        assert.ok(beside || below, JSON.stringify([one, other]));
      }
    const texts = await boxesOf(page, ".drawing svg text");
    assert.ok(texts.some(({ text }) => text === "-"));
    const shown = texts.map(({ text }) => text).filter((text) => /[a-z]{4}/.test(text));
    assert.ok(new Set(shown).size >= labels.length, JSON.stringify(shown));
    // No word stands on another one.
    for (const [a, one] of texts.entries())
      for (const other of texts.slice(a + 1)) {
        const beside = one.right <= other.left + 1 || other.right <= one.left + 1;
        const below = one.bottom <= other.top + 3 || other.bottom <= one.top + 3;
        assert.ok(beside || below, JSON.stringify([one, other]));
      }
    if (process.env.EVENHAND_PICTURES)
      await page.screenshot({
        path: join(process.env.EVENHAND_PICTURES, `bars-${labels.length}-${width}.png`),
        fullPage: true,
      });
    await page.close();
  });
}

test("numbers of a grid stand apart on a phone, and its card is scrolled", async () => {
  const columns = "writing reasoning coding translation extraction summaries".split(" ");
  const rows = Array.from({ length: 24 }, (_, at) => `system ${at}`);
  const cells = rows.map((_, y) =>
    columns.map((_, x) => ({ value: (x - y) / 20, text: `${(5 * (x - y)).toFixed(1)} points` })),
  );
  const scale = { low: -1.2, high: 0.3 };
  const figure = { kind: "grid", title: "By category", rows, columns, cells, scale };
  const { page, seen } = await openFigure(figure, 375);
  assert.deepEqual(await findWide(page), []);
  const texts = await boxesOf(page, ".drawing svg text");
  assert.equal(texts.length, rows.length * (columns.length + 1) + columns.length);
  for (const column of ["writing", "reasoning", "coding"])
    assert.ok(
      texts.some(({ text }) => text === column),
      `${column} is cut`,
    );
  for (const [a, one] of texts.entries())
    for (const other of texts.slice(a + 1)) {
      const beside = one.right <= other.left || other.right <= one.left;
      const below = one.bottom <= other.top + 3 || other.bottom <= one.top + 3;
      assert.ok(beside || below, JSON.stringify([one, other]));
    }
  const [wide, tab] = await page.$eval(".drawing", (one) => [
    one.scrollWidth > one.clientWidth,
    one.tabIndex,
  ]);
  assert.ok(wide && tab === 0);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("ranks are whole, however few there are", async () => {
  for (const [count, ticks] of [
    [2, ["1", "2"]],
    [3, ["1", "2", "3"]],
    [4, ["1", "2", "3", "4"]],
    [12, ["1", "3", "5", "7", "9", "11"]],
  ]) {
    const rows = Array.from({ length: count }, (_, at) => ({
      label: `system ${"abcdefghijkl"[at]}`,
      group: null,
      value: at + 1,
      low: Math.max(1, at),
      high: Math.min(count, at + 2),
      text: `rank ${at + 1}`,
    }));
    const axis = { label: "rank", first: 1 };
    const { page } = await openFigure({ kind: "dots", title: "Ranks", axis, rows }, 800);
    const texts = (await boxesOf(page, ".drawing svg text")).map(({ text }) => text);
    assert.deepEqual(
      texts.filter((text) => /^[\d.]+$/.test(text)),
      ticks,
    );
    await page.close();
  }
});
