// Files that the real program wrote, of data in which every field is an attack.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  addressOf,
  evenhand,
  launch,
  makeFolder,
  openWatched,
  QUICKSTART,
  WITHOUT_BIN,
} from "./browser.mjs";
import { PAYLOADS } from "./payloads.mjs";

const EACH = 25;
let browser;

before(async () => {
  if (!WITHOUT_BIN) browser = await launch();
});
after(() => browser?.close());

const JUDGE = `
import { createInterface } from "node:readline";
const words = JSON.parse(process.env.WORDS);
for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  const said = words[id % words.length];
  console.log(JSON.stringify({ id, text: id % 7 ? \`\${said}\\n\\nVerdict: \${id % 2 ? "A" : "B"}\` : said }));
}
`;

/** Ranks systems whose names, items, texts and replies are these words. */
function makeReport(words) {
  const folder = makeFolder("hostile");
  const lines = (rows) => rows.map((row) => JSON.stringify(row)).join("\n");
  const systems = words.slice(0, 6).map((word) => `s ${word}`);
  writeFileSync(
    join(folder, "items.jsonl"),
    lines(
      words.map((word, at) => ({
        id: `i${at} ${word}`,
        instruction: `${word} and what of it? ${word}`,
        category: `c ${word}`,
        reference: word,
      })),
    ),
  );
  writeFileSync(
    join(folder, "responses.jsonl"),
    lines(
      words.flatMap((_, at) =>
        systems.map((system, number) => ({
          item: `i${at} ${words[at]}`,
          system,
          output: `${words[(at + number) % words.length]}\n\nAnswer ${number}`,
        })),
      ),
    ),
  );
  writeFileSync(join(folder, "judge.mjs"), JUDGE);
  process.env.WORDS = JSON.stringify(words);
  evenhand(
    folder,
    "rank",
    "--data",
    folder,
    "--judge",
    `exec:node ${join(folder, "judge.mjs")}`,
    "--protocol",
    "pairwise/cot",
    "--design",
    "sample:2",
    "--by",
    "category",
    "--run",
    join(folder, "run"),
    "--report",
    join(folder, "report.html"),
    "--quiet",
    "--rounds",
    "50",
  );
  return addressOf(folder, "report.html");
}

async function isHarmless(page, route) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await page.waitForTimeout(30);
  assert.equal(await page.evaluate(() => window.hits), 0, route);
  assert.deepEqual(await page.evaluate(() => window.violations), [], route);
  assert.equal(
    await page.evaluate(
      () =>
        document.querySelectorAll(
          "main iframe, main img, main script, main object, main embed, main base, main form[action], main link, main style:not(svg style), main a:not([href^='#'])",
        ).length,
    ),
    0,
    route,
  );
}

test("the program's own files run nothing, load nothing and lead nowhere", {
  skip: WITHOUT_BIN,
}, async () => {
  const { page, seen } = await openWatched(browser);
  for (let part = 0; part < PAYLOADS.length; part += EACH) {
    const address = makeReport(PAYLOADS.slice(part, part + EACH));
    await page.goto("about:blank");
    for (const route of [
      "",
      "matrix",
      "judgments",
      "judgments?text=hits&sort=-confidence",
      "figures",
    ]) {
      await page.goto(`${address}#/${route}`);
      await page.waitForSelector("h1");
      await isHarmless(page, route);
    }
    for (let at = 0; at < EACH; at += 1) {
      const route = `?${new URLSearchParams({ slice: `c ${PAYLOADS[part + at]}` })}`;
      await page.goto(`${address}#/${route}`);
      await page.waitForSelector(".lead:has-text('On c ')");
      await isHarmless(page, route);
    }
    for (let at = 0; at < 2 * EACH; at += 1) {
      const route = `judgment/${2 * at}?as=${["", "text", "diff"][at % 3]}`;
      await page.goto(`${address}#/${route}`);
      await page.waitForSelector(`small:text-is("judgment ${2 * at}")`);
      await isHarmless(page, route);
    }
  }
  assert.equal(seen.dialogs, 0);
  assert.deepEqual(seen.requests, []);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("a file's policy names its script, and lets no other run", { skip: WITHOUT_BIN }, async () => {
  const folder = makeFolder("policy");
  evenhand(
    folder,
    "rank",
    "--data",
    QUICKSTART,
    "--judge",
    "simulated",
    "--run",
    join(folder, "run"),
    "--report",
    join(folder, "report.html"),
    "--quiet",
  );
  addressOf(folder, "report.html");
  const html = readFileSync(join(folder, "report.html"), "utf8");
  const script = html.slice(
    html.lastIndexOf("<script>") + "<script>".length,
    html.lastIndexOf("</script>"),
  );
  const digest = createHash("sha256").update(script).digest("base64");
  const [, policy] = html.match(/Content-Security-Policy" content="([^"]*)"/);
  assert.match(policy, /^default-src 'none'; /);
  assert.ok(
    policy.includes(`script-src 'sha256-${digest}';`) && policy.includes("connect-src 'none'"),
  );
  const end = html.lastIndexOf("</body>");
  const injected = `${html.slice(0, end)}<script>window.hits += 1</script><img src=x onerror='window.hits += 1'><img src='https://evil.example/x.png'>${html.slice(end)}`;
  writeFileSync(join(folder, "injected.html"), injected);
  const { page } = await openWatched(browser);
  await page.goto(pathToFileURL(join(folder, "injected.html")).href);
  await page.waitForSelector("h1");
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.hits), 0);
  const violations = await page.evaluate(() => window.violations);
  assert.ok(
    violations.some((one) => one.startsWith("script-src")) &&
      violations.some((one) => one.startsWith("img-src")),
    violations.join("; "),
  );
  await page.close();
});
