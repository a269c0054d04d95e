// Draws the pictures of docs/images, of simulated judges on the quickstart data; `make pictures`
// draws all: EVENHAND_BIN=PROGRAM node web/tests/pictures.mjs [NAME..]
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  addressOf,
  evenhand,
  launch,
  makeFolder,
  QUICKSTART,
  serve,
  withAssets,
} from "./browser.mjs";
import { makeData, report } from "./commands.mjs";

const images = join(dirname(fileURLToPath(import.meta.url)), "../../docs/images");
const BATTLES = join(QUICKSTART, "../battles.csv");
const named = process.argv.slice(2);
const [WIDTH, HEIGHT] = [1000, 640];

/** Pages of the quickstart's report: their names, routes, heights, how far down, and colours. */
const RANKED = [
  ["ranking", "", 760],
  ["matrix", "matrix", 600],
  ["judgments", "judgments?flipped=1", 640],
  ["judgment", "judgment/3", 720, 330],
  ["dark", "judgments", 560, 0, "dark"],
];

/** Pages of other commands: their names, commands, heights and routes. */
const REPORTED = [
  ["judge-card", "audit", 700],
  ["judge", "meta judge", 640],
  ["judge-figures", "meta judge", 820, "figures"],
  ["bencher", "meta bencher", 640],
  ["study", "meta study", 640],
  ["check", "check", 640],
  ["changes", "compare", 700],
];

const ends = [];
const browser = await launch();
mkdirSync(images, { recursive: true });

async function open(address, height = HEIGHT, colorScheme = "light", width = WIDTH) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await withAssets(page);
  await page.goto(address);
  await page.waitForSelector("h1");
  return page;
}

async function draw(name, page, down = 0) {
  await page.waitForTimeout(400);
  await page.evaluate((top) => scrollTo(0, top), down);
  if (!named.length || named.includes(name))
    await page.screenshot({ path: join(images, `${name}.png`) });
  await page.close();
}

function rank(folder, name, judge, ...more) {
  evenhand(
    folder,
    "rank",
    "--data",
    QUICKSTART,
    "--judge",
    judge,
    "--protocol",
    "pairwise/cot",
    "--run",
    join("runs", name),
    "--quiet",
    ...more,
  );
}

/** What the README shows first: the ranking of the demonstration that stands below it. */
async function drawFront(folder) {
  evenhand(folder, "demo", "--run", "demo");
  evenhand(folder, "report", "demo/runs/ranking", "--out", "front.html");
  await draw("front", await open(addressOf(folder, "front.html"), 385));
}

async function drawRanked(folder) {
  rank(folder, "quickstart", "simulated:accuracy=0.85,first-slot=0.1", "--report", "report.html");
  const address = addressOf(folder, "report.html");
  for (const [name, route, height, down, colours] of RANKED)
    await draw(name, await open(`${address}#/${route}`, height, colours), down);
}

async function drawReported() {
  const folder = makeData();
  for (const [name, command, height, route = ""] of REPORTED) {
    const page = await open(`${addressOf(folder, report(folder, command)[1])}#/${route}`, height);
    await draw(name, page, route && 10_000);
  }
}

/** A folder of two runs, and one against the other. */
async function drawServed(folder) {
  rank(folder, "second-judge", "simulated:accuracy=0.7,seed=5", "--name", "A second judge");
  const { url } = await serve({ after: (end) => ends.push(end) }, folder, "runs");
  await draw("runs", await open(`${url}#/runs`, 350, "light", 1240));
  await draw("compare", await open(`${url}#/run/quickstart/compare?with=second-judge`, 560));
}

/** A site of the two runs and a board. */
async function drawSite(folder) {
  evenhand(folder, "leaderboard", BATTLES, "--update", "board.json", "--date", "2026-11-21");
  evenhand(folder, "site", "board.json", "runs", "--out", "public", "--title", "Our models");
  await draw("site", await open(addressOf(folder, "public/index.html"), 400));
}

/** Somebody judges; two others have, and disagree. */
async function drawReview(folder) {
  const { url } = await serve(
    { after: (end) => ends.push(end) },
    folder,
    "runs/quickstart",
    "--review",
  );
  await judge(url, "ada", 28, () => false);
  await judge(url, "bob", 28, (at) => at % 9 === 4);
  const page = await sitDown(url, "eve");
  await page.waitForSelector(".sides");
  await draw("review", page);
  const standing = await sitDown(url, "eve");
  await standing.click("text=Agreement, corrected ranking");
  await standing.waitForSelector('h2:text-is("To adjudicate")');
  await draw(
    "agreement",
    standing,
    await standing.evaluate(
      () => document.querySelector(".standing").getBoundingClientRect().top + scrollY - 20,
    ),
  );
}

async function sitDown(url, name) {
  const page = await open(`${url}#/review`, 700);
  await page.fill("input[name=annotator]", name);
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=/\\d+ done/");
  return page;
}

const written = readFileSync(join(QUICKSTART, "responses.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const SYSTEMS = ["careful", "smollm2-warm", "smollm2-hot", "smollm2-terse", "smollm2-offtopic"];

/** Somebody who knows the better response of each pair says so, and errs where told to. */
async function judge(url, annotator, pairs, errs) {
  const placeOf = ({ text }, { id }) =>
    SYSTEMS.indexOf(written.find(({ item, output }) => item === id && output === text)?.system);
  for (let at = 0; at < pairs; at += 1) {
    const { task } = await (
      await fetch(`${url}api/review/next?annotator=${annotator}&queue=random`)
    ).json();
    const isLeft = placeOf(task.left, task.item) < placeOf(task.right, task.item) !== errs(at);
    const body = {
      annotator,
      id: task.id,
      draw: task.draw,
      choice: isLeft ? "left" : "right",
      comment: null,
      queue: "random",
      key: `${annotator}-label-${at}`,
    };
    await fetch(`${url}api/review/label`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", origin: new URL(url).origin },
    });
  }
}

const folder = makeFolder("pictures");
await drawFront(folder);
await drawRanked(folder);
await drawReported();
await drawServed(folder);
await drawSite(folder);
await drawReview(folder);
await browser.close();
for (const end of ends) end();
