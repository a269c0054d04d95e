// What the other commands report, in the files that the real program writes.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { addressOf, evenhand, findWide, launch, makeFolder, openWatched, QUICKSTART, WITHOUT_BIN } from "./browser.mjs";

const JUDGE = "simulated:accuracy=0.8,first-slot=0.4";
const SYSTEMS = ["careful", "smollm2-warm", "smollm2-hot", "smollm2-terse", "smollm2-offtopic"];
let browser;

before(async () => {
  if (!WITHOUT_BIN) browser = await launch();
});
after(() => browser?.close());

const read = (name) => readFileSync(join(QUICKSTART, name), "utf8");
const lines = (rows) => rows.map((row) => JSON.stringify(row)).join("\n");

const STUDY = `types = ["pointwise:1-10"]
rounds = 50
share-rounds = 10
shares = [0.5, 1.0]
run = "study-run"
[ratings]
file = "ratings.csv"
[inputs.all]
data = ["data"]
[judges.good]
spec = "simulated:accuracy=0.95"
[judges.bad]
spec = "simulated:accuracy=0.5"
`;

function makeData() {
  const folder = makeFolder("reports");
  evenhand(folder, "audit", "tweak-set", "tweaks", "--items", "10");
  const items = read("items.jsonl").trim().split("\n").map((line) => JSON.parse(line).id);
  writeFileSync(join(folder, "ratings.csv"), `system,rating,ci_low,ci_high\n${SYSTEMS.map((system, at) => `${system},${1200 - 80 * at},${1190 - 80 * at},${1210 - 80 * at}`).join("\n")}\n`);
  writeFileSync(join(folder, "study.toml"), STUDY);
  const battles = items.flatMap((_, at) => [`${SYSTEMS[at % 5]},${SYSTEMS[(at + 1) % 5]},${["model_a", "model_b", "tie"][at % 3]}`]);
  writeFileSync(join(folder, "battles.csv"), `model_a,model_b,winner\n${battles.join("\n")}\n`);
  for (const name of ["items.jsonl", "responses.jsonl"]) {
    copyData(folder, "data", name);
    copyData(folder, "labelled", name);
  }
  writeFileSync(join(folder, "labelled/labels.jsonl"), lines(items.map((item, at) => ({ item, a: "careful", b: SYSTEMS[1 + (at % 4)], preferred: at % 4 ? "a" : "b" }))));
  return folder;
}

function copyData(folder, under, name) {
  mkdirSync(join(folder, under), { recursive: true });
  writeFileSync(join(folder, under, name), read(name));
}

const COMMANDS = [
  ["leaderboard", ["leaderboard", "battles.csv"], "Ranking"],
  ["audit", ["audit", "--data", QUICKSTART, "--judge", JUDGE, "--run", "audited", "--items", "12"], "Judge card"],
  ["meta judge", ["meta", "judge", "--data", "labelled", "--judge", JUDGE, "--run", "measured"], "Judge against people"],
  ["meta bencher", ["meta", "bencher", "--ranking", "battles.csv", "--ratings", "ratings.csv"], "Rankings against people"],
  ["meta study", ["meta", "study", "study.toml"], "Study"],
  ["check", ["check", "tweaks"], "Constraints kept"],
];

test("each command's result is said, in tables that fit and that axe finds nothing serious in", { skip: WITHOUT_BIN }, async () => {
  const folder = makeData();
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const { page, seen } = await openWatched(browser, { viewport: { width: 360, height: 740 } });
  for (const [name, words, heading] of COMMANDS) {
    const file = `${words.slice(0, 2).join("-").replaceAll(/\W+/g, "-")}.html`;
    evenhand(folder, ...words, "--report", file);
    await page.goto(addressOf(folder, file));
    await page.waitForSelector("h1");
    assert.equal(await page.textContent("h1"), heading, name);
    assert.ok((await page.textContent(".lead")).length > 30, name);
    await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
    assert.doesNotMatch(await page.textContent("main"), /undefined|NaN|\[object/, name);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    assert.deepEqual(serious.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0].html.slice(0, 160)}`), []);
    assert.deepEqual(await findWide(page), [], `${name} is wider than the screen`);
  }
  assert.deepEqual(seen.errors, []);
  await page.close();
});
