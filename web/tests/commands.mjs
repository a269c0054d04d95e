// Data and words of the commands whose report is no ranking of a run, made of the quickstart data.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evenhand, makeFolder, QUICKSTART } from "./browser.mjs";

const JUDGE = "simulated:accuracy=0.8,first-slot=0.4";
const SYSTEMS = ["careful", "smollm2-warm", "smollm2-hot", "smollm2-terse", "smollm2-offtopic"];

const read = (name) => readFileSync(join(QUICKSTART, name), "utf8");
const lines = (rows) => rows.map((row) => JSON.stringify(row)).join("\n");

const STUDY = `types = ["pointwise:1-10", "pairwise"]
prompt-packs = ["packs/curt"]
rounds = 50
share-rounds = 10
shares = [0.5, 1.0]
run = "study-run"
[ratings]
file = "ratings.csv"
[inputs.all]
data = ["data"]
[labelled.people]
data = ["labelled"]
[judges.good]
spec = "simulated:accuracy=0.95"
[judges.bad]
spec = "simulated:accuracy=0.5"
`;

/** Judges the data twice, the second time with answers of one system that are cut, by a judge who
 * likes them long. */
function makeRuns(folder) {
  const cut = (one) =>
    one.system === "smollm2-warm" ? { ...one, output: one.output.slice(0, 20) } : one;
  copyData(folder, "now", "items.jsonl");
  writeFileSync(
    join(folder, "now/responses.jsonl"),
    lines(
      read("responses.jsonl")
        .trim()
        .split("\n")
        .map((line) => cut(JSON.parse(line))),
    ),
  );
  for (const [run, data] of [
    ["run-before", "data"],
    ["run-now", "now"],
  ])
    evenhand(
      folder,
      "rank",
      "--data",
      data,
      "--judge",
      "simulated:accuracy=0.7,length=0.7",
      "--run",
      run,
      "--quiet",
    );
}

/** Makes a folder in which each of the commands can be run. */
export function makeData() {
  const folder = makeFolder("reports");
  evenhand(folder, "audit", "tweak-set", "tweaks", "--items", "24");
  partItems(join(folder, "tweaks/items.jsonl"));
  const items = read("items.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  writeFileSync(
    join(folder, "ratings.csv"),
    `system,rating,ci_low,ci_high\n${SYSTEMS.map((system, at) => `${system},${1200 - 80 * at},${1190 - 80 * at},${1210 - 80 * at}`).join("\n")}\n`,
  );
  writeFileSync(join(folder, "study.toml"), STUDY);
  mkdirSync(join(folder, "packs/curt"), { recursive: true });
  writeFileSync(
    join(folder, "packs/curt/pairwise.toml"),
    readFileSync(join(QUICKSTART, "../../crates/protocols/prompts/pairwise.toml"), "utf8").replace(
      "You are an impartial judge",
      "You, impartial judge",
    ),
  );
  const pairs = SYSTEMS.flatMap((b, at) => SYSTEMS.slice(0, at).map((a) => [a, b]));
  const battles = Array.from({ length: 120 }, (_, at) =>
    [...pairs[at % pairs.length], at % 3 ? "model_a" : at % 7 ? "model_b" : "tie"].join(),
  );
  writeFileSync(join(folder, "battles.csv"), `model_a,model_b,winner\n${battles.join("\n")}\n`);
  writeFileSync(
    join(folder, "languages.csv"),
    `model_a,model_b,winner,lang\n${pairs[0].join()},both_bad,it\n${Array.from({ length: 240 }, (_, at) => battle(pairs[at % pairs.length], at)).join("\n")}\n`,
  );
  for (const name of ["items.jsonl", "responses.jsonl"]) {
    copyData(folder, "data", name);
    copyData(folder, "labelled", name);
  }
  partItems(join(folder, "labelled/items.jsonl"));
  writeFileSync(
    join(folder, "labelled/labels.jsonl"),
    lines(
      items.flatMap((item, at) =>
        [0, 1, 2].map((more) => label(item, pairs[(3 * at + more) % pairs.length], 3 * at + more)),
      ),
    ),
  );
  makeRuns(folder);
  for (const run of ["run-before", "run-now"])
    writeFileSync(
      join(folder, `${run}.json`),
      evenhand(folder, "judgments", run, "--format", "json"),
    );
  return folder;
}

/** Gives each item a part, of one in a few that is too small. */
function partItems(file) {
  const items = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  writeFileSync(
    file,
    lines(
      items.map((item, at) => ({
        ...item,
        part: at % 8 === 3 ? "rare" : at % 2 ? "short" : "long",
      })),
    ),
  );
}

/** Who wins in one language loses in the other; a third has few battles, a fourth only one that
 * counts for nobody, and some battles have no language. */
function battle([better, worse], at) {
  const lang = at % 60 === 0 ? "fr" : ["en", "de", ""][Math.floor(at / 10) % 3];
  return [better, worse, (lang === "de") !== (at % 7 === 3) ? "model_b" : "model_a", lang].join();
}

/** Who is better of a pair is named first or second, and people err or cannot tell now and then. */
function label(item, [better, worse], number) {
  const [a, b] = number % 2 ? [worse, better] : [better, worse];
  const wins = number % 5 === 2 ? worse : better;
  return { item, a, b, preferred: number % 11 === 5 ? "tie" : wins === a ? "a" : "b" };
}

function copyData(folder, under, name) {
  mkdirSync(join(folder, under), { recursive: true });
  writeFileSync(join(folder, under, name), read(name));
}

/** The words of each command, by its name. */
export const WORDS = {
  leaderboard: ["leaderboard", "battles.csv"],
  slices: ["leaderboard", "languages.csv", "--by", "lang", "--both-bad", "apart"],
  audit: [
    "audit",
    "--data",
    QUICKSTART,
    "--judge",
    `${JUDGE},flattery=0.9,authority=0.8`,
    "--run",
    "audited",
    "--items",
    "24",
    "--by",
    "category",
  ],
  audits: [
    "audit",
    "--data",
    QUICKSTART,
    "--judge",
    `${JUDGE},flattery=0.9,authority=0.8`,
    "--judge",
    "simulated:accuracy=0.9",
    "--apart",
    "--run",
    "audited-apart",
    "--items",
    "24",
  ],
  "meta judge": [
    "meta",
    "judge",
    "--data",
    "labelled",
    "--judge",
    "simulated:gap=0.8,tie=0.1,first-slot=0.1,probabilities=true",
    "--protocol",
    "pairwise-tie",
    "--by",
    "part",
    "--run",
    "measured",
  ],
  "meta bencher": ["meta", "bencher", "--ranking", "battles.csv", "--ratings", "ratings.csv"],
  "meta benchers": [
    "meta",
    "bencher",
    "--ranking",
    "run-before.json",
    "--ranking",
    "run-now.json",
    "--ratings",
    "ratings.csv",
  ],
  "meta study": ["meta", "study", "study.toml"],
  check: ["check", "tweaks", "--by", "part"],
  compare: ["compare", "run-before", "run-now"],
  migrate: ["migrate", "run-before", "--judge", "simulated:gap=4,seed=5", "--all"],
};

/** Runs a command; returns its result, and the file of its report. */
export function report(folder, name) {
  const file = `${name.replaceAll(" ", "-")}.html`;
  return [JSON.parse(evenhand(folder, ...WORDS[name], "--report", file, "--format", "json")), file];
}
