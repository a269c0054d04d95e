// Tries the documentation as a reader would who opened its first page from a folder:
// node web/tests/site.mjs FOLDER (`make docs` makes it). It is searched and clicked, every link
// within it must lead somewhere, and nothing may be asked of a network.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { launch, openWatched } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = resolve(process.argv[2] ?? "target/docs");

function pagesIn(dir) {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return pagesIn(path);
    return path.endsWith(".html") ? [path] : [];
  });
}

/** Links of a page that lead nowhere: to a file that is missing, or to a mark that it lacks. */
function deadLinks(path) {
  const text = readFileSync(path, "utf8");
  const dead = [];
  for (const [, target] of text.matchAll(/<a\s[^>]*?href="([^"]+)"/g)) {
    const to = target.replaceAll("&amp;", "&");
    if (/^[a-z][a-z0-9+.-]*:/.test(to)) continue;
    const [file, mark] = to.split("#");
    const found = file ? join(dirname(path), decodeURIComponent(file)) : path;
    const page =
      existsSync(found) && statSync(found).isDirectory() ? join(found, "index.html") : found;
    if (!existsSync(page)) dead.push(`${path}: ${to}`);
    else if (
      mark &&
      page.endsWith(".html") &&
      !readFileSync(page, "utf8").includes(`id="${decodeURIComponent(mark)}"`)
    )
      dead.push(`${path}: ${to}`);
  }
  return dead;
}

const pages = pagesIn(folder).filter((path) => !path.endsWith("404.html"));
const dead = pages.flatMap(deadLinks);
assert.deepEqual(dead, [], `${dead.length} links lead nowhere`);

const browser = await launch();
try {
  const { page, seen } = await openWatched(browser);
  const open = (path) => page.goto(pathToFileURL(path).href);
  await open(join(folder, "index.html"));
  await page.keyboard.press("Control+k");
  await page.keyboard.type("rank interval");
  const results = page.locator("a[role=option]");
  await results.first().waitFor({ timeout: 10_000 });
  const found = await results.count();
  await results.first().click();
  await page.waitForLoadState();
  assert.match(page.url(), /^file:/);
  const heading = await page.locator("h1").first().textContent();
  console.log(`${found} results for "rank interval"; the first is on "${heading}"`);
  const grave = new Map();
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of pages) {
      await open(path);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 1, `${path} is ${wide} pixels too wide at ${width}`);
      if (width === 375) continue;
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document));
      for (const { id, impact, nodes } of violations) {
        if (impact === "serious" || impact === "critical")
          grave.set(id, [...(grave.get(id) ?? []), `${path}: ${nodes[0].html.slice(0, 160)}`]);
      }
    }
  }
  for (const [id, where] of grave) console.error(`${id} on ${where.length} pages: ${where[0]}`);
  assert.equal(grave.size, 0, "axe-core has serious findings");
  assert.deepEqual(seen.requests, [], "something was asked of a network");
  assert.deepEqual(seen.errors, []);
} finally {
  await browser.close();
}
console.log(`${pages.length} pages at two widths, no dead link, nothing asked of a network`);
