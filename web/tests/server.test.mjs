// The pages against the real server: a run, a folder of runs, a run that grows, a server that ends.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  evenhand,
  findWide,
  launch,
  makeFolder,
  openWatched,
  QUICKSTART,
  serve,
  start,
  withAssets,
  WITHOUT_BIN,
} from "./browser.mjs";

const JUDGE = "simulated:accuracy=0.8,first-slot=0.1";
let browser;
let runs;

before(async () => {
  if (WITHOUT_BIN) return;
  browser = await launch();
  runs = makeFolder("runs");
  rank("one", JUDGE);
  rank("two", `${JUDGE},seed=5`);
});
after(() => browser?.close());

function rank(name, judge, ...more) {
  evenhand(
    runs,
    "rank",
    "--data",
    QUICKSTART,
    "--judge",
    judge,
    "--run",
    join(runs, name),
    "--quiet",
    ...more,
  );
}

async function openServed(url) {
  const { page, seen } = await openWatched(browser);
  await withAssets(page);
  await page.goto(url);
  return { page, seen };
}

test("a run is looked into by its address and by keys", { skip: WITHOUT_BIN }, async (t) => {
  const { url } = await serve(t, runs, "one");
  const { page, seen } = await openServed(`${url}#/judgments?flipped=1&system=careful`);
  await page.waitForSelector("tr.chosen");
  assert.match(await page.textContent("p[role=status]"), /^\d+ of 300 rows match$/);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Both orders");
  const second = await page.textContent("h1");
  await page.waitForSelector("text=Next (j)");
  await page.keyboard.press("j");
  await page.waitForFunction(() => location.hash.includes("at=2"));
  await page.waitForSelector("text=3 of");
  await page.keyboard.press("k");
  await page.waitForSelector("text=2 of");
  await page.waitForFunction((item) => document.querySelector("h1").textContent === item, second);
  await page.keyboard.press("u");
  await page.waitForFunction(() => location.hash.startsWith("#/judgments"));
  await page.waitForSelector("tr.chosen");
  await page.goBack();
  await page.waitForSelector("text=Both orders");
  assert.deepEqual(seen.errors, []);
  assert.ok(
    seen.requests.every((address) => address.startsWith(url)),
    "nothing is asked of others",
  );
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  await page.close();
});

test("a filter that cannot be read is refused in the server's words", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const { url } = await serve(t, runs, "one");
  const { page } = await openServed(`${url}#/judgments?sytem=careful`);
  await page.waitForSelector("text=sytem: there is no such filter");
  await page.close();
});

test("a folder lists its runs, and two are compared", { skip: WITHOUT_BIN }, async (t) => {
  const { url } = await serve(t, runs, runs);
  const { page, seen } = await openServed(url);
  await page.click("a >> text=one");
  await page.waitForSelector("text=Ranking");
  await page.click("nav >> text=Compare");
  await page.selectOption("select", "two");
  await page.waitForSelector("text=outcomes changed");
  await page.click("tr.changed td:nth-child(4) a");
  await page.waitForSelector("text=Both orders");
  assert.match(page.url(), /#\/run\/two\/judgment\//);
  await page.waitForSelector("text=The same pair in other runs");
  await page.click("nav >> text=All runs");
  await page.waitForSelector("text=2 runs");
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("runs that are still read are not said to be missing", { skip: WITHOUT_BIN }, async (t) => {
  const { url } = await serve(t, runs, runs);
  const { page, seen } = await openServed("about:blank");
  let answer = () => {};
  const isAsked = new Promise((done) => {
    void page.route("**/api/runs", (route) => {
      answer = () => route.continue();
      done();
    });
  });
  await page.goto(url);
  await isAsked;
  await page.waitForSelector("text=Reading the runs of this folder…");
  assert.doesNotMatch(await page.textContent("main"), /no folder/);
  await answer();
  await page.waitForSelector("text=2 runs in this folder.");
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("a folder is asked for its list, and not for a result that it has not", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const { url } = await serve(t, runs, runs);
  const { page, seen } = await openServed(url);
  await page.waitForSelector("text=2 runs");
  const asked = () => seen.requests.filter((address) => address.endsWith("/api/overview"));
  assert.deepEqual(asked(), []);
  assert.equal(await page.title(), "Evenhand");
  await page.click("a >> text=one");
  await page.waitForSelector("text=Ranking");
  assert.ok(asked().every((address) => address.includes("/run/one/")));
  await page.click("nav >> text=All runs");
  await page.waitForSelector("text=2 runs");
  assert.equal(await page.title(), "Evenhand");
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("the list of runs says who leads, and two that are ticked are compared", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const { url } = await serve(t, runs, runs);
  for (const width of [1280, 375]) {
    const { page, seen } = await openServed(url);
    await page.setViewportSize({ width, height: 860 });
    await page.goto(`${url}#/runs`);
    await page.waitForSelector("text=2 runs");
    assert.deepEqual(await findWide(page), []);
    for (const cell of await page.locator("table.runs td").all()) {
      const box = await cell.boundingBox();
      assert.ok(box && box.x >= 0, "every column is there");
      if (width === 375) assert.ok(box.x + box.width <= width, "and none stands outside");
    }
    const shown = await page.locator("table.runs tbody tr").first().textContent();
    assert.match(shown, /lead/);
    assert.match(shown, /complete, \d+/);
    assert.match(shown, /\d+ items?, \d+ systems/);
    assert.doesNotMatch(shown, /live/);
    assert.ok(await page.isVisible("text=Tick two runs"));
    for (const box of await page.locator("table.runs input").all()) await box.check();
    await page.click("a >> text=/^Compare/");
    await page.waitForSelector("text=outcomes changed");
    assert.match(page.url(), /#\/run\/(one|two)\/compare\?with=(one|two)/);
    assert.deepEqual(seen.errors, []);
    await page.close();
  }
});

test("the judge's own A and B are named beside its words, in each order", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const { url } = await serve(t, runs, "one");
  const { page } = await openServed(`${url}#/judgments`);
  await page.click(".rows tbody th a");
  await page.waitForSelector("text=Both orders");
  const slots = await page.locator(".slots").allInnerTexts();
  assert.equal(slots.length, 2);
  const [one, other] = slots.map((text) => text.match(/is (\S+); B, or the second, is (\S+)\.$/));
  assert.deepEqual([one[1], one[2]], [other[2], other[1]]);
  for (const card of await page.locator(".order-card").all()) {
    const first = await card.locator(".slots .named").first().textContent();
    assert.ok((await card.locator("h3").textContent()).startsWith(first));
  }
  await page.setViewportSize({ width: 375, height: 860 });
  await page.goto(`${url}#/judgments`);
  await page.waitForSelector(".rows tbody th a");
  const outcome = await page.locator("th.of-outcome").boundingBox();
  assert.ok(outcome && outcome.x + outcome.width <= 375, "the outcome is on the screen");
  await page.close();
});

test("on a phone a site's first page lacks nothing", {
  skip: WITHOUT_BIN,
}, async () => {
  evenhand(runs, "site", "one", "two", "--out", "site");
  const { page } = await openWatched(browser, { viewport: { width: 375, height: 740 } });
  await page.goto(pathToFileURL(join(runs, "site/index.html")).href);
  for (const cell of await page.locator("tbody td").all()) {
    const box = await cell.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 375, "every cell is on the screen");
  }
  assert.match(await page.textContent("tbody td.answer"), /lead/);
  assert.deepEqual(await findWide(page), []);
  const names = () => page.locator("tbody td:first-child").allTextContents();
  await page.selectOption(".sort select", "page");
  assert.deepEqual(await names(), ["one", "two"]);
  await page.check(".sort input");
  assert.deepEqual(await names(), ["two", "one"]);
  // Where the heads of the columns are there, they are pressed.
  await page.setViewportSize({ width: 1280, height: 740 });
  assert.equal(await page.isVisible(".sort"), false);
  assert.ok(await page.isVisible("th button"));
  await page.close();
});

test("a run grows while it is shown, and stays where it was", { skip: WITHOUT_BIN }, async (t) => {
  const folder = makeFolder("grows");
  const ranking = start(
    t,
    folder,
    "rank",
    "--data",
    QUICKSTART,
    "--judge",
    "simulated:accuracy=0.8,delay-ms=100",
    "--run",
    join(folder, "slow"),
    "--quiet",
  );
  await untilIt(() => existsSync(join(folder, "slow/run.sqlite")));
  const { url } = await serve(t, folder, "slow");
  const { page, seen } = await openServed(`${url}#/judgments`);
  await page.waitForFunction(() => document.querySelectorAll(".rows tbody tr a").length > 20);
  // The number of rows is of one reading, whatever the overview of an earlier one counts.
  const odd = await page.evaluate(
    () =>
      new Promise((done) => {
        const status = document.querySelector("p[role=status]");
        const found = [];
        const look = () =>
          /of .* rows match/.test(status.textContent) && found.push(status.textContent);
        new MutationObserver(look).observe(status, {
          characterData: true,
          childList: true,
          subtree: true,
        });
        setTimeout(() => done(found), 6000);
      }),
  );
  assert.deepEqual(odd, []);
  await page.keyboard.press("j");
  await page.evaluate(() => {
    document.querySelector(".rows").scrollTop = 300;
  });
  const total = () =>
    page.evaluate(() =>
      Number(
        document
          .querySelector("p[role=status]")
          .textContent.match(/^[\d,]+/)?.[0]
          .replace(",", "") ?? 0,
      ),
    );
  const before = await total();
  await page.waitForFunction(
    (old) =>
      Number(
        document
          .querySelector("p[role=status]")
          .textContent.match(/^[\d,]+/)?.[0]
          .replace(",", ""),
      ) >
      old + 5,
    before,
    { timeout: 20_000 },
  );
  assert.equal(await page.evaluate(() => document.querySelector(".rows").scrollTop), 300);
  assert.equal(await page.evaluate(() => document.querySelectorAll("tr.chosen").length), 1);
  assert.ok(await page.isVisible("text=live"));
  ranking.kill();
  assert.deepEqual(seen.errors, []);
  await page.close();
});

async function untilIt(holds) {
  for (let tries = 0; tries < 100; tries += 1) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail("it does not come to be");
}

test("when the server has ended, the page says so and keeps what it shows", {
  skip: WITHOUT_BIN,
}, async (t) => {
  const { url, kill, port } = await serve(t, runs, "one");
  const { page } = await openServed(`${url}#/judgments`);
  await page.waitForSelector("tr.chosen");
  const rows = await page.textContent(".rows tbody");
  await kill();
  await page.waitForSelector("text=The server has stopped", { timeout: 10_000 });
  assert.equal(await page.textContent(".rows tbody"), rows);
  await page.evaluate(() => {
    document.querySelector(".rows").scrollTop = 12_000;
  });
  await page.waitForSelector("text=The server does not answer");
  assert.match(await page.textContent("p[role=status]"), /300 pairs/);
  await serve(t, runs, "one", "--port", port);
  await page.waitForSelector("text=Another server answers here", { timeout: 10_000 });
  await page.close();
});
