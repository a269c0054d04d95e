// The page of a file opens in a browser, and hostile strings in every field do nothing.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ASSETS, findWide, launch, openWatched } from "./browser.mjs";
import { PAYLOADS } from "./payloads.mjs";
import { makeReport, writeFilePage } from "./synthetic.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const ROUTES = ["", "matrix", "judgments", "judgments?flipped=1&sort=-confidence", "judgment/0?at=0", "judgment/0?as=text", "judgment/0?as=diff", "figures"];
let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

function writeReport(options) {
  const [page, script, sheet] = ["index.html", "app.js", "app.css"].map((name) => readFileSync(join(ASSETS, name), "utf8"));
  const file = join(mkdtempSync(join(tmpdir(), "pages-")), "report.html");
  writeFileSync(file, writeFilePage({ page, script, sheet, data: makeReport(options) }));
  return pathToFileURL(file).href;
}

test("every page shows its data, without an error", async () => {
  const address = writeReport({});
  const { page, seen } = await openWatched(browser);
  for (const route of ROUTES) {
    await page.goto(`${address}#/${route}`);
    await page.waitForSelector("h1");
    assert.ok((await page.textContent("main")).length > 100, route);
  }
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("hostile strings in every field run nothing, load nothing and leave nothing", async () => {
  const { page, seen } = await openWatched(browser);
  for (let part = 0; part < PAYLOADS.length; part += 25) {
    const address = writeReport({ items: 6, hostile: PAYLOADS.slice(part, part + 25) });
    for (const route of ROUTES) {
      await page.goto("about:blank");
      await page.goto(`${address}#/${route}`);
      await page.waitForSelector("h1");
      await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
      await page.waitForTimeout(80);
      assert.equal(await page.evaluate(() => window.hits), 0, route);
      assert.deepEqual(await page.evaluate(() => window.violations), [], route);
      assert.equal(await page.evaluate(() => document.querySelectorAll("main iframe, main img, main script, main object, main embed, main base, main a:not([href^='#'])").length), 0, route);
    }
  }
  assert.equal(seen.dialogs, 0);
  assert.deepEqual(seen.requests, []);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("keys choose, open, go on and filter", async () => {
  const { page } = await openWatched(browser);
  await page.goto(`${writeReport({})}#/judgments`);
  await page.waitForSelector("tr.chosen");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/judgment/"));
  assert.match(page.url(), /at=1/);
  await page.waitForSelector("text=Next (j)");
  await page.keyboard.press("j");
  await page.waitForFunction(() => location.hash.includes("at=2"));
  await page.keyboard.press("u");
  await page.waitForFunction(() => location.hash.startsWith("#/judgments"));
  await page.waitForSelector("tr.chosen");
  await page.keyboard.press("1");
  await page.waitForFunction(() => location.hash.includes("outcome=a"));
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.close();
});

for (const [name, settings] of [["wide", {}], ["dark", { colorScheme: "dark" }], ["narrow", { viewport: { width: 360, height: 740 } }]]) {
  test(`axe finds nothing serious (${name})`, async () => {
    const { page } = await openWatched(browser, settings);
    const address = writeReport({});
    const axe = readFileSync(join(here, "../node_modules/axe-core/axe.min.js"), "utf8");
    const found = [];
    for (const route of ROUTES) {
      await page.goto("about:blank");
      await page.goto(`${address}#/${route}`);
      await page.waitForSelector("h1");
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const one of violations) if (["serious", "critical"].includes(one.impact)) found.push(`${route}: ${one.id}: ${one.nodes[0].html.slice(0, 160)}`);
      assert.deepEqual(await findWide(page), [], `${route} is wider than the screen`);
    }
    assert.deepEqual(found, []);
    await page.close();
  });
}
