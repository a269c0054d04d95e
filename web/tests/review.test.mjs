// People judge in the browser: by keys, blind, two at once, and while the server dies.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  evenhand,
  findWide,
  launch,
  makeFolder,
  openWatched,
  QUICKSTART,
  serve,
  withAssets,
  WITHOUT_BIN,
} from "./browser.mjs";

let browser;

before(async () => {
  if (!WITHOUT_BIN) browser = await launch();
});
after(() => browser?.close());

function makeRun() {
  const folder = makeFolder("review");
  evenhand(
    folder,
    "rank",
    "--data",
    QUICKSTART,
    "--items",
    "4",
    "--judge",
    "simulated:accuracy=0.8",
    "--run",
    join(folder, "run"),
    "--quiet",
  );
  return folder;
}

function labelsIn(folder) {
  const lines = readFileSync(join(folder, "run/labels.jsonl"), "utf8").trim().split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

async function sitDown(url, name) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const { page, seen } = await openWatched(context);
  await withAssets(page);
  await page.goto(`${url}#/review`);
  await page.fill("input[name=annotator]", name);
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=0 done");
  return { page, seen, context };
}

/** The page of the review before anybody gives a name. */
async function openOwner(url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await withAssets(page);
  await page.goto(`${url}#/review`);
  await page.waitForSelector("input[name=annotator]");
  return page;
}

/** Presses a key, and waits until this many are done. */
async function press(page, key, done) {
  await page.keyboard.press(key);
  await page.waitForSelector(`text=/^${done} done/`);
  await page.waitForSelector(".choices button:not([disabled]) >> text=Tie");
}

test("one person judges by keys alone, blind, and takes one back", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const folder = makeRun();
  const { url } = await serve(t, folder, "run", "--review");
  const { page, seen, context } = await sitDown(url, "ada");
  const shown = await page.textContent("main");
  for (const system of ["careful", "smollm2"])
    assert.ok(!shown.includes(system), `${system} is not named`);
  await page.click("text=Agreement, corrected ranking");
  await page.waitForSelector("text=No labels yet.");
  assert.doesNotMatch(await page.textContent(".standing"), /agree[sd]? |on [0-]/);
  await page.click("text=Agreement, corrected ranking");
  await page.click('button:text-is("Plain text")');
  assert.equal(await page.locator(".sides pre.plain").count(), 2);
  await page.click('button:text-is("Markdown")');
  await press(page, "1", 1);
  await press(page, "0", 2);
  await page.keyboard.press("c");
  await page.keyboard.type("both are wrong, 1 and 2");
  await page.keyboard.press("Escape");
  await press(page, "b", 3);
  assert.equal(await page.inputValue("textarea"), "");
  await press(page, "2", 4);
  await press(page, "u", 3);
  await page.keyboard.press("s");
  await page.waitForSelector("text=1 skipped");
  await page.click("text=Agreement, corrected ranking");
  await page.waitForSelector("text=3 labels of 3 pairs");
  await page.waitForSelector("text=No pair has labels of two people yet.");
  assert.deepEqual(seen.errors, []);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  const labels = labelsIn(folder);
  assert.ok(labels.some((label) => JSON.stringify(label).includes("both are wrong, 1 and 2")));
  await context.close();
});

test("two judge at once, disagree, and a third adjudicates", { skip: WITHOUT_BIN }, async (t) => {
  const folder = makeRun();
  const { url } = await serve(t, folder, "run", "--review");
  const [ada, bob] = [await sitDown(url, "ada"), await sitDown(url, "bob")];
  for (let done = 1; done <= 3; done += 1)
    await Promise.all([press(ada.page, "1", done), press(bob.page, "2", done)]);
  const { page, context } = await sitDown(url, "eve");
  await page.click("text=Agreement, corrected ranking");
  await page.waitForSelector("text=ada and bob");
  // The owner is told of which systems, and who said what; the page of the judgment says it, too.
  const [row] = await page.locator("[aria-label=Disagreements] tbody tr").allInnerTexts();
  assert.match(row, /(careful|smollm2-\w+) and smollm2-\w+/);
  assert.match(row, /ada: .*\n+bob: /);
  const owner = await openOwner(url);
  await owner.waitForSelector("text=To adjudicate");
  assert.match(await owner.textContent(".standing"), /annotators disagree on \d/);
  await owner.click("[aria-label=Disagreements] tbody a");
  await owner.waitForSelector('h2:text-is("What people prefer")');
  assert.match(await owner.textContent(".people"), /ada: .*bob: /);
  await owner.close();
  await page.click("text=/^Adjudicate \\d/");
  await page.waitForSelector(".said");
  const [said] = await page.locator(".said").allInnerTexts();
  assert.match(said, /ada: Left is better/);
  assert.match(said, /bob: Right is better/);
  // On a narrow screen, one response stands above the other.
  const { height } = page.viewportSize();
  await page.setViewportSize({ width: 375, height });
  const stacked = await page.locator(".said").allInnerTexts();
  assert.match(stacked[0], /ada: Above is better/);
  assert.deepEqual(await page.locator(".sides h2").allInnerTexts(), ["Above", "Below"]);
  await page.setViewportSize({ width: 1280, height });
  await press(page, "1", 1);
  await page.click("text=Agreement, corrected ranking");
  await page.waitForSelector("text=1 is adjudicated");
  for (const desk of [ada, bob, { context }]) await desk.context.close();
});

test("labels outlast the server and the page", { skip: WITHOUT_BIN }, async (t) => {
  const folder = makeRun();
  const first = await serve(t, folder, "run", "--review");
  const { page, context } = await sitDown(first.url, "ada");
  await press(page, "1", 1);
  await first.kill();
  await page.keyboard.press("2");
  await page.waitForSelector("text=1 not saved yet");
  page.removeAllListeners("dialog");
  page.on("dialog", (dialog) => dialog.accept());
  const second = await serve(t, folder, "run", "--review", "--port", first.port);
  await page.goto(`${second.url}#/review`);
  await page.waitForSelector("text=2 done");
  await page.waitForFunction(() => !document.body.textContent.includes("not saved yet"));
  assert.equal(labelsIn(folder).length, 2);
  await second.kill("SIGTERM");
  await page.keyboard.press("0");
  await page.waitForSelector("text=1 not saved yet");
  await page.keyboard.press("u");
  await page.waitForSelector("text=The undo is not saved yet");
  assert.equal(labelsIn(folder).length, 2);
  await context.close();
});

test("an answer that is lost does not make two labels", { skip: WITHOUT_BIN }, async (t) => {
  const folder = makeRun();
  const { url } = await serve(t, folder, "run", "--review");
  const { page, context } = await sitDown(url, "ada");
  let lost = 0;
  let show;
  const shown = new Promise((done) => {
    show = done;
  });
  await page.route("**/api/review/label", async (route) => {
    if (lost === 0) {
      await route.fetch();
      lost += 1;
      return route.abort();
    }
    await shown;
    return route.continue();
  });
  await page.waitForSelector(".choices button:not([disabled]) >> text=Tie");
  await page.keyboard.press("1");
  await page.waitForSelector("text=1 not saved yet");
  show();
  await page.waitForSelector("text=1 done");
  assert.equal(lost, 1);
  assert.equal(labelsIn(folder).length, 1);
  await context.close();
});

test("who judges sees the review alone, of so many pairs, to its end", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const folder = makeRun();
  const { alone } = await serve(t, folder, "run", "--review", "--items", "3");
  for (const width of [1280, 375]) {
    const context = await browser.newContext({ viewport: { width, height: 860 } });
    const { page, seen } = await openWatched(context);
    await withAssets(page);
    // Whatever the address asks for, it is the review.
    await page.goto(`${alone}#/judgments`);
    await page.fill("input[name=annotator]", `person ${width}`);
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=0 done, 3 left");
    const shown = await page.textContent("body");
    for (const word of ["careful", "smollm2", "Ranking", "Head to head", "Agreement"])
      assert.ok(!shown.includes(word), `${word} is not shown`);
    assert.equal(await page.locator("nav, a[href], select").count(), 0);
    assert.deepEqual(await findWide(page), []);
    await press(page, "1", 1);
    await press(page, "2", 2);
    await page.keyboard.press("0");
    await page.waitForSelector("text=Done, 3 of 3. Thank you.");
    await page.keyboard.press("u");
    await page.waitForSelector("text=2 done, 1 left");
    await page.keyboard.press("s");
    await page.waitForSelector("text=All 3 pairs are seen: 2 judged, 1 skipped. Thank you.");
    assert.ok(
      seen.requests.every((request) => request.startsWith(alone)),
      "nothing else is asked for",
    );
    assert.deepEqual(seen.errors, []);
    await context.close();
  }
});

test("who decides is shown what two disagree on, and not what they said", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const folder = makeRun();
  const { url, alone, decider } = await serve(t, folder, "run", "--review", "--items", "2");
  // Of two pairs, they agree on the second.
  for (const [name, keys] of [
    ["ann", ["0", "0"]],
    ["bea", ["b", "0"]],
    ["cho", ["1", "0"]],
  ]) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const { page } = await openWatched(context);
    await withAssets(page);
    await page.goto(alone);
    await page.fill("input[name=annotator]", name);
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=0 done, 2 left");
    await press(page, keys[0], 1);
    await page.keyboard.press(keys[1]);
    await page.waitForSelector("text=Done, 2 of 2. Thank you.");
    await context.close();
  }
  for (const width of [375, 1280]) {
    const context = await browser.newContext({ viewport: { width, height: 860 } });
    const { page, seen } = await openWatched(context);
    await withAssets(page);
    await page.goto(decider);
    await page.waitForSelector("h1:text-is('Adjudication')");
    await page.fill("input[name=annotator]", `decider ${width}`);
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=0 done, 1 left");
    const shown = await page.textContent("body");
    for (const word of ["ann", "bea", "cho", "careful", "smollm2", "Ranking", "Agreement"])
      assert.ok(!new RegExp(`\\b${word}\\b`).test(shown), `${word} is not shown`);
    assert.equal(await page.locator("nav, a[href], select, .said").count(), 0);
    assert.deepEqual(await findWide(page), []);
    await page.keyboard.press("2");
    await page.waitForSelector("text=Nothing is left here for you to judge. Thank you.");
    const decided = labelsIn(folder).filter(({ adjudicated }) => adjudicated);
    assert.deepEqual(
      decided.map(({ annotator, queue, blind }) => [annotator, queue, blind]),
      [[`decider ${width}`, "adjudicate", true]],
    );
    await page.keyboard.press("u");
    await page.waitForSelector("text=0 done, 1 left");
    assert.ok(seen.requests.every((request) => request.startsWith(decider)));
    assert.deepEqual(seen.errors, []);
    await context.close();
  }
  assert.notEqual(url, decider);
});
