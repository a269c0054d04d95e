// Each key that the help names does what the help says.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openWatched, serve, withAssets, WITHOUT_BIN } from "./browser.mjs";
import { makeSample } from "./sample.mjs";

let browser;
let sample;
/** Keys that a test has pressed. */
const tried = new Set();

before(async () => {
  if (WITHOUT_BIN) return;
  browser = await launch();
  sample = makeSample();
});
after(() => browser?.close());

async function openServed(t, route) {
  const { url } = await serve(t, sample.folder, "sample", "--review");
  const { page, seen } = await openWatched(browser);
  await withAssets(page);
  await page.goto(`${url}#/${route}`);
  return { page, seen, url };
}

async function press(page, key) {
  tried.add(key);
  await page.keyboard.press(key);
}

const chosen = (page) =>
  page.getAttribute("tr.chosen", "aria-rowindex").then((index) => Number(index) - 2);
const waitForHash = (page, part) =>
  page.waitForFunction((wanted) => location.hash.includes(wanted), part);

async function waitForChosen(page, index) {
  await page.waitForSelector(`tr.chosen[aria-rowindex="${index + 2}"] a`);
}

test("keys choose a row, open it, go on from there and back", { skip: WITHOUT_BIN }, async (t) => {
  const { page, seen } = await openServed(t, "judgments");
  const { rows } = sample;
  await waitForChosen(page, 0);
  for (const [key, index] of [
    ["j", 1],
    ["j", 2],
    ["k", 1],
    ["ArrowDown", 2],
    ["ArrowUp", 1],
    ["k", 0],
    ["k", 0],
    ["j", 1],
  ]) {
    await press(page, key);
    await waitForChosen(page, index);
  }
  await press(page, "Enter");
  await page.waitForSelector(`small:text-is("judgment ${rows[1].id}")`);
  for (const [key, index] of [
    ["j", 2],
    ["j", 3],
    ["k", 2],
  ]) {
    await page.waitForSelector("text=Next (j)");
    await press(page, key);
    await page.waitForSelector(`text=${index + 1} of ${rows.length}`);
    await page.waitForSelector(`small:text-is("judgment ${rows[index].id}")`);
  }
  await press(page, "u");
  await waitForChosen(page, 2);
  await press(page, "Enter");
  await page.waitForSelector(`small:text-is("judgment ${rows[2].id}")`);
  await press(page, "Escape");
  await waitForChosen(page, 2);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("keys keep wins of one system, of the other, and ties", { skip: WITHOUT_BIN }, async (t) => {
  const { page } = await openServed(t, "judgments");
  await waitForChosen(page, 0);
  for (const [key, outcome] of [
    ["1", "a"],
    ["2", "b"],
    ["0", "tie"],
  ]) {
    const count = sample.rows.filter((row) => row.outcome === outcome).length;
    await press(page, key);
    await page.waitForSelector(`text=${count} of ${sample.rows.length} rows match`);
    await waitForHash(page, `outcome=${outcome}`);
    await press(page, key);
    await page.waitForSelector(`text=${sample.rows.length} pairs, both orders`);
  }
  await page.close();
});

test("a key reaches the search, and whoever types there is left alone", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const { page } = await openServed(t, "judgments");
  await waitForChosen(page, 0);
  await press(page, "/");
  await page.keyboard.type("j1u?");
  assert.equal(await page.inputValue("input[name=text]"), "j1u?");
  assert.equal(await page.isVisible("dialog"), false);
  assert.equal(await chosen(page), 0);
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=No judgment matches.");
  await page.close();
});

/** Reads the help's keys: a sign alone, or several between strokes. */
async function readHelp(page) {
  await press(page, "?");
  await page.waitForSelector("dialog[open]");
  const named = await page.$$eval("dialog kbd", (keys) => keys.map((key) => key.textContent));
  await press(page, "j");
  assert.equal(await chosen(page), 0, "the page behind the help stays as it is");
  await press(page, "?");
  await page.waitForSelector("dialog", { state: "hidden" });
  return named.flatMap((keys) => keys.split(" / "));
}

/** Reads what people said; the last is the latest. */
function readLabels(name = "labels.jsonl") {
  const file = join(sample.folder, "sample", name);
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
}

/** Presses a key, and returns what is kept once this many are done. */
async function judge(page, key, done) {
  await press(page, key);
  await page.waitForSelector(`text=/^${done} done/`);
  await page.waitForSelector(".choices button:not([disabled]) >> text=Tie");
  return readLabels().at(-1);
}

test("in a review each key says what its button does", { skip: WITHOUT_BIN }, async (t) => {
  const { page, seen } = await openServed(t, "review");
  await page.fill("input[name=annotator]", "ada");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=0 done");
  const left = await judge(page, "1", 1);
  assert.equal(left.preferred, left.left);
  const right = await judge(page, "2", 2);
  assert.deepEqual([right.preferred, right.left].sort(), ["a", "b"]);
  const tie = await judge(page, "0", 3);
  assert.deepEqual([tie.preferred, tie.both_bad ?? false], ["tie", false]);
  await press(page, "c");
  await page.keyboard.type("0 of 2, says ada?");
  await page.keyboard.press("Escape");
  const bad = await judge(page, "b", 4);
  assert.deepEqual([bad.both_bad, bad.comment], [true, "0 of 2, says ada?"]);
  await press(page, "s");
  await page.waitForSelector("text=1 skipped");
  assert.equal(readLabels("labels.skipped.jsonl").length, 1);
  await press(page, "u");
  await page.waitForFunction(() => !document.body.textContent.includes("skipped"));
  assert.equal(readLabels("labels.skipped.jsonl").length, 0);
  const last = await judge(page, "u", 3);
  assert.equal(last.key, tie.key);
  assert.equal(readLabels().length, 3);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("no key of the help is without a test", { skip: WITHOUT_BIN }, async (t) => {
  const { page } = await openServed(t, "judgments");
  await waitForChosen(page, 0);
  const named = await readHelp(page);
  assert.ok(named.length >= 12);
  assert.deepEqual(
    named.filter((key) => !tried.has(key)),
    [],
  );
  await page.close();
});
