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
  const pairs = SYSTEMS.flatMap((b, at) => SYSTEMS.slice(0, at).map((a) => [a, b]));
  const battles = Array.from({ length: 120 }, (_, at) => [...pairs[at % pairs.length], at % 3 ? "model_a" : at % 7 ? "model_b" : "tie"].join());
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

const percent = (share) => `${(100 * share).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} %`;
const number = (value) => value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).replace("-", "\u2212");

/** Reads the cells of all tables of this name, without the intervals in brackets. */
function readTables(page, label) {
  return page.$$eval(`[role=region][aria-label="${label}"] tbody tr`, (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.replaceAll("\u00a0", " ").replace(/ \(.* to .*\)/, "").trim())));
}

async function holdsRanking(page, { ranking }) {
  assert.deepEqual((await readTables(page, "Ranking as a table")).map(([rank, system, score]) => [rank, system, score]), ranking.map(({ rank, system, score }) => [`${rank}`, system, Math.round(score).toLocaleString("en")]));
}

async function holdsCard(page, { findings, advice }) {
  const biased = findings.filter((finding) => finding.biased);
  assert.ok(biased.length > 0);
  const cells = await readTables(page, "Figures of the audit");
  assert.equal(cells.length, biased.length + findings.length);
  const value = ({ value }) => (value === null ? "–" : percent(value).replace("-", "\u2212"));
  assert.deepEqual(cells.slice(0, biased.length).map(([figure, , found]) => [figure, found]), biased.map((finding) => [`${finding.probe}: ${finding.name}`, value(finding)]));
  assert.deepEqual(cells.slice(biased.length).map(([figure, , found]) => `${figure} ${found}`).sort(), findings.map((finding) => `${finding.name} ${value(finding)}`).sort());
  assert.deepEqual((await readTables(page, "Protocols")).map(([protocol]) => protocol), advice.candidates.map(({ protocol }) => protocol));
}

async function holdsJudge(page, report) {
  const cells = Object.fromEntries(await readTables(page, "Figures"));
  assert.equal(cells["Agreement with people, mean of both orders"], percent(report.accuracy));
  assert.equal(cells["Same outcome in both orders"], percent(report.consistency));
  assert.equal(cells["Kappa with people"], number(report.kappa));
  assert.ok((await page.textContent(".lead")).includes(`of ${report.n} comparisons`));
}

async function holdsBencher(page, report) {
  const cells = Object.fromEntries(await readTables(page, "Agreement"));
  const { spearman, kendall_tau_b: tau, systems } = Array.isArray(report.benchers) ? report.benchers[0] : report;
  assert.deepEqual([cells["Spearman"], cells["Kendall tau-b"]], [number(spearman), number(tau)]);
  assert.deepEqual((await readTables(page, "Systems")).map(([system]) => system).sort(), systems.map(({ system }) => system).sort());
}

async function holdsStudy(page, { benchers, frontier, recommendation }) {
  const shown = await page.$$eval("main > p", (found) => found.map((one) => one.textContent));
  for (const sentence of recommendation.text) assert.ok(shown.includes(sentence), sentence);
  const cells = await readTables(page, "Agreement with people’s ratings");
  assert.deepEqual(cells.map(([judge, type]) => `${judge} ${type}`), benchers.map(({ judge, type }) => `${judge} ${type}`));
  assert.deepEqual(cells.map((row) => row[5]), benchers.map(({ spearman }) => number(spearman)));
  assert.equal((await readTables(page, "Frontier")).length, frontier.length);
}

async function holdsConstraints(page, { systems }) {
  const cells = new Map((await readTables(page, "Systems")).map(([system, , strict]) => [system, strict]));
  assert.deepEqual([...cells].sort(), systems.map(({ system, prompt_strict: strict }) => [system, percent(strict)]).sort());
  const kinds = new Set(systems.flatMap(({ types }) => Object.keys(types)));
  assert.deepEqual((await readTables(page, "Constraints kept by kind")).map(([kind]) => kind), [...kinds].sort());
}

/** Each command with its words, its heading, and what its page must hold of its JSON. */
const COMMANDS = [
  ["leaderboard", ["leaderboard", "battles.csv"], "Ranking", holdsRanking],
  ["audit", ["audit", "--data", QUICKSTART, "--judge", `${JUDGE},flattery=0.9,authority=0.8`, "--run", "audited", "--items", "24"], "Judge card", holdsCard],
  ["meta judge", ["meta", "judge", "--data", "labelled", "--judge", JUDGE, "--run", "measured"], "Judge against people", holdsJudge],
  ["meta bencher", ["meta", "bencher", "--ranking", "battles.csv", "--ratings", "ratings.csv"], "Rankings against people", holdsBencher],
  ["meta study", ["meta", "study", "study.toml"], "Study", holdsStudy],
  ["check", ["check", "tweaks"], "Constraints kept", holdsConstraints],
];

test("each command's result is said, in tables that fit and that axe finds nothing serious in", { skip: WITHOUT_BIN }, async () => {
  const folder = makeData();
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const { page, seen } = await openWatched(browser, { viewport: { width: 360, height: 740 } });
  for (const [name, words, heading, holds] of COMMANDS) {
    const file = `${words.slice(0, 2).join("-").replaceAll(/\W+/g, "-")}.html`;
    const report = JSON.parse(evenhand(folder, ...words, "--report", file, "--format", "json"));
    await page.goto(addressOf(folder, file));
    await page.waitForSelector("h1");
    assert.equal(await page.textContent("h1"), heading, name);
    assert.ok((await page.textContent(".lead")).length > 30, name);
    await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
    await holds(page, report);
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
