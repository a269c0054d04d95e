// What the other commands report, in the files that the real program writes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { addressOf, findWide, launch, openWatched, WITHOUT_BIN } from "./browser.mjs";
import { makeData, report } from "./commands.mjs";

let browser;

before(async () => {
  if (!WITHOUT_BIN) browser = await launch();
});
after(() => browser?.close());

const percent = (share) =>
  `${(100 * share).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} %`;
const number = (value, digits = 2) =>
  value
    .toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace("-", "\u2212");

/** Reads the cells of all tables of this name, without the intervals in brackets. */
function readTables(page, label) {
  return page.$$eval(`[role=group][aria-label="${label}"] tbody tr`, (rows) =>
    rows.map((row) =>
      [...row.children].map((cell) =>
        cell.textContent
          .replaceAll("\u00a0", " ")
          .replace(/ \(.* to .*\)/, "")
          .trim(),
      ),
    ),
  );
}

async function holdsRanking(page, { ranking }) {
  assert.deepEqual(
    (await readTables(page, "Ranking as a table")).map(([rank, system, score]) => [
      rank,
      system,
      score,
    ]),
    ranking.map(({ rank, system, score }) => [
      `${rank}`,
      system,
      Math.round(score).toLocaleString("en"),
    ]),
  );
}

/** The answer is the headline; whether slices differ stands below it. */
async function holdsAnswerBelow(page) {
  const order = await page.$$eval("main :is(.lead, .answer)", (found) =>
    found.map((one) => one.classList.contains("lead")),
  );
  assert.ok(order.includes(true) && order.indexOf(true) < order.indexOf(false), `${order}`);
}

async function holdsSlices(page, report) {
  const { interaction, slices } = report;
  await holdsRanking(page, report);
  assert.equal(await page.textContent(".answer"), interaction.summary);
  await holdsAnswerBelow(page);
  const signed = (value) => `${value > 0 ? "+" : ""}${value.toFixed(3).replace("-", "\u2212")}`;
  const shown = (await readTables(page, "Deviations by slice")).map(
    ([system, value, deviation, , pooled, p]) => [system, value, deviation, pooled, p],
  );
  assert.deepEqual(
    shown,
    interaction.deviations.map((row) => [
      row.system,
      row.value || "(none)",
      signed(row.deviation),
      signed(row.pooled),
      row.p_adjusted === null
        ? "–"
        : `${row.p_adjusted < 0.001 ? "< 0.001" : row.p_adjusted.toFixed(3)}${row.p_adjusted <= 0.05 ? " *" : ""}`,
    ]),
  );
  assert.ok(shown.some(([, , , , p]) => p.endsWith("*")) && shown.some(([, , , , p]) => p === "–"));
  const turned = slices.findIndex(({ value }) => value === "de");
  await page.selectOption("select[name=slice]", { value: `${turned}` });
  await page.waitForSelector(".lead:has-text('On de, ')");
  await holdsRanking(page, slices[turned]);
  assert.notEqual(slices[turned].ranking[0].system, report.ranking[0].system);
  const empty = slices.findIndex(({ value }) => value === "it");
  await page.selectOption("select[name=slice]", { value: `${empty}` });
  await page.waitForSelector(".lead:has-text('On it, no system has a score.')");
  assert.deepEqual(
    (await readTables(page, "Ranking as a table")).map(([rank, , score, n]) => [rank, score, n]),
    slices[empty].ranking.map(() => ["–", "–", "0"]),
  );
  assert.equal(await page.locator(".ranking-figures").count(), 0);
}

async function holdsCard(page, { findings, advice, flips, slices }) {
  const biased = findings.filter((finding) => finding.biased);
  assert.ok(biased.length > 0);
  const cells = await readTables(page, "Figures of the audit");
  // One line says of what nothing failed.
  const isFolded = ({ probe, value }) => probe === "failures" && value === 0;
  const told = findings.filter((finding) => !isFolded(finding));
  assert.equal(
    await page.locator("details .note:has-text('No failed judgments in')").count(),
    told.length < findings.length ? 1 : 0,
  );
  assert.equal(cells.length, biased.length + told.length);
  const value = ({ value }) => (value === null ? "–" : percent(value).replace("-", "\u2212"));
  // Below the name of a figure that is tested stands what it is.
  const name = ({ name, unbiased, estimand }) => name + (unbiased === null ? "" : estimand);
  assert.deepEqual(
    cells.slice(0, biased.length).map(([figure, , found]) => [figure, found]),
    biased.map((finding) => [`${finding.probe}: ${name(finding)}`, value(finding)]),
  );
  assert.deepEqual(
    cells
      .slice(biased.length)
      .map(([figure, , found]) => `${figure} ${found}`)
      .sort(),
    told.map((finding) => `${name(finding)} ${value(finding)}`).sort(),
  );
  assert.deepEqual(
    (await readTables(page, "Protocols")).map(([protocol]) => protocol),
    advice.candidates.map(({ protocol }) => protocol),
  );
  assert.equal((await readTables(page, "Flips by rewriting")).length, flips.rows.length);
  // Slices have a heading, an answer, what was found, and each tested figure.
  assert.equal(
    await page.textContent("h2:has-text('By category') + .answer"),
    `${slices.answer.text}.`,
  );
  const bySlice = slices.values.flatMap((slice) => slice.findings);
  assert.equal(
    (await readTables(page, "Biases by slice")).length,
    bySlice.filter((finding) => finding.biased).length,
  );
  const tested = bySlice.filter(({ p }) => p !== null);
  const keys = new Set(tested.map((one) => `${one.probe}: ${one.name}${one.protocol}`));
  const shown = (await readTables(page, "Figures by slice")).map(([name]) => name);
  assert.deepEqual(new Set(shown), keys);
}

/** The answer below the heading that names the judge, which it does not name again. */
function sayHeaded({ judge, answer }) {
  assert.ok(answer.text.startsWith(`${judge}: `));
  const rest = answer.text.slice(judge.length + 2);
  return `${rest[0].toUpperCase()}${rest.slice(1)}.`;
}

/** Each judge has a line, and a part with its name, its answer, and its figures; rewrites stand
 * side by side. */
async function holdsCards(page, { audits, flips }) {
  assert.deepEqual(
    (await readTables(page, "Judges")).map(([judge, found, protocol]) => [judge, found, protocol]),
    audits.map(({ judge, biased, tested, advice }) => [
      judge,
      `${biased} of ${tested} tests`,
      advice.protocol ?? "none can be recommended",
    ]),
  );
  assert.equal((await readTables(page, "Flips by rewriting")).length, flips.rows.length);
  const parts = await page.$$eval("main section:has(> h2 + .lead)", (found) =>
    found.map((one) => [
      one.querySelector("h2").textContent,
      one.querySelector(".lead").textContent,
      [...one.querySelectorAll("h3")].map((head) => head.textContent),
    ]),
  );
  const isBiased = ({ findings }) => findings.some(({ biased }) => biased);
  assert.deepEqual(
    parts,
    audits.map((audit) => [
      audit.judge,
      sayHeaded(audit),
      [...(isBiased(audit) ? ["What was found"] : []), "Which protocol to use", "Every figure"],
    ]),
  );
  assert.ok(audits.some(isBiased) && audits.length === 2);
  const shown = await page.$$eval(".warnings .notice", (found) =>
    found.map((one) => one.textContent.replace(/^Warning\s*/, "")),
  );
  for (const { judge, warnings } of audits)
    for (const warning of warnings)
      assert.ok(
        shown.some((one) => one === warning || (one.includes(judge) && one.endsWith(warning))),
        warning,
      );
  const text = await page.textContent("main");
  assert.match(text, /found a bias|found biases/);
  assert.doesNotMatch(text, /in – tests/);
}

async function holdsJudge(page, report) {
  const cells = Object.fromEntries(await readTables(page, "Figures"));
  assert.equal(cells["Agreement with people, mean of both orders"], percent(report.accuracy));
  assert.equal(cells["Same outcome in both orders"], percent(report.consistency));
  assert.equal(cells["Kappa with people"], number(report.kappa));
  assert.ok((await page.textContent(".answer")).includes(`of ${report.n} pair`));
  const parts = await page.$$eval("main > figure.figure details tbody th", (found) =>
    found.map((one) => one.textContent),
  );
  assert.deepEqual(
    parts.sort(),
    ["all", ...Object.keys(report.subsets)].sort(),
    "a row of the figure is named by its part",
  );
  const figures = await page.$$eval(".figures figure.figure", (found) =>
    found.map((one) => [
      one.querySelector("h2").textContent,
      [...one.querySelectorAll("details tbody tr")].map((row) =>
        [...row.children].map((cell) => cell.textContent),
      ),
    ]),
  );
  const { "Verdicts against labels": verdicts, "Stated probabilities and what came true": stated } =
    Object.fromEntries(figures);
  const counts = Object.values(report.confusion).map((row) => Object.values(row));
  assert.deepEqual(
    verdicts.map((row) => row.slice(1).map((cell) => (cell === "–" ? 0 : parseInt(cell, 10)))),
    counts,
  );
  assert.equal(stated.filter(([name]) => name === "this judge").length, report.calibration.length);
  await holdsDeviations(page, report.interaction, "judge");
  assert.ok(report.calibration.length > 0 && counts.flat().some((count) => count > 0));
}

async function holdsBencher(page, report) {
  const cells = Object.fromEntries(await readTables(page, "Agreement"));
  const {
    spearman,
    kendall_tau_b: tau,
    systems,
  } = Array.isArray(report.benchers) ? report.benchers[0] : report;
  assert.deepEqual([cells["Spearman"], cells["Kendall tau-b"]], [number(spearman), number(tau)]);
  assert.deepEqual(
    (await readTables(page, "Systems")).map(([system]) => system).sort(),
    systems.map(({ system }) => system).sort(),
  );
}

/** The differences have a heading, an answer and a table, with the caveat: correlations have bounds. */
async function holdsBenchers(page, report) {
  const { benchers, differences, differences_answer: answer, caveats } = report;
  assert.equal(
    await page.textContent("h2:text-is('Differences between the rankings') + .answer"),
    `${answer.text}.`,
  );
  assert.deepEqual(
    (await readTables(page, "Differences between the rankings")).map((row) => row.slice(0, 3)),
    differences.map(({ bencher, less, spearman }) => [bencher, less, number(spearman)]),
  );
  assert.equal((await readTables(page, "Agreement with people’s ratings")).length, benchers.length);
  assert.deepEqual(
    caveats.map(({ about }) => about),
    ["differences"],
  );
  const notes = await page.$$eval(".scroll + .note", (found) =>
    found.map((one) => one.textContent),
  );
  assert.deepEqual(
    notes,
    caveats.map(({ text }) => `Note: ${text}.`),
  );
}

async function holdsStudy(page, report) {
  const { benchers, frontier, recommendation, judge_ranks: ranks } = report;
  assert.equal((await readTables(page, "Ranking of judges")).length, ranks.length);
  for (const { text } of report.caveats)
    assert.ok((await page.textContent("main")).includes(`Note: ${text}.`));
  const shown = await page.$$eval("main > p", (found) => found.map((one) => one.textContent));
  for (const sentence of recommendation.text) assert.ok(shown.includes(sentence), sentence);
  const cells = await readTables(page, "Agreement with people’s ratings");
  assert.deepEqual(
    cells.map(([judge, type]) => `${judge} ${type}`),
    benchers.map(({ judge, type }) => `${judge} ${type}`),
  );
  assert.deepEqual(
    cells.map((row) => row[4]),
    benchers.map(({ spearman }) => number(spearman)),
  );
  assert.equal((await readTables(page, "Frontier")).length, frontier.length);
  const { labelled, totals, protocol_differences: differences } = report;
  assert.deepEqual(
    (await readTables(page, "Judges against people, with 95\u00a0% intervals")).map((row) =>
      row.slice(0, 5),
    ),
    [...labelled, ...totals].map(({ input, judge, protocol, n, accuracy }) => [
      input,
      judge,
      protocol,
      `${n}`,
      percent(accuracy),
    ]),
  );
  const points = (share) => number(100 * share, 1);
  const p = (value) => (value < 0.001 ? "< 0.001" : value.toFixed(3));
  const both = (row) => `${p(row.p)} (${p(row.p_holm)})`;
  assert.deepEqual(
    await readTables(page, "On the same pairs"),
    differences.flatMap(({ differences: rows }) =>
      rows.map((row) => [row.first, row.second, `${row.pairs}`, points(row.difference), both(row)]),
    ),
  );
  assert.deepEqual(
    await readTables(page, "Prompts"),
    report.prompt_variations.flatMap(({ prompts, accuracy, differences: rows }) =>
      prompts.map((prompt, at) => [
        prompt,
        percent(accuracy.accuracies[at]),
        at ? points(rows[at - 1].difference) : "–",
        at ? both(rows[at - 1]) : "–",
      ]),
    ),
  );
  assert.ok(differences.length > 0 && report.prompt_variations.length > 0);
}

async function holdsConstraints(page, { systems, slices, interaction }) {
  const cells = new Map(
    (await readTables(page, "Systems")).map(([system, , strict]) => [system, strict]),
  );
  assert.deepEqual(
    [...cells].sort(),
    systems.map(({ system, prompt_strict: strict }) => [system, percent(strict)]).sort(),
  );
  const kinds = new Set(systems.flatMap(({ types }) => Object.keys(types)));
  assert.deepEqual(
    (await readTables(page, "Constraints kept by kind")).map(([kind]) => kind),
    [...kinds].sort(),
  );
  await holdsDeviations(page, interaction, "system");
  for (const [at, slice] of slices.entries()) {
    await page.selectOption("select[name=slice]", { value: `${at}` });
    await page.waitForSelector(`.lead:has-text('On ${slice.value}, ')`);
    const shown = new Map(
      (await readTables(page, "Systems")).map(([system, , strict]) => [system, strict]),
    );
    assert.deepEqual(
      [...shown].sort(),
      slice.systems.map(({ system, prompt_strict: strict }) => [system, percent(strict)]).sort(),
    );
    assert.equal(
      await page.locator(".notice:has-text('Too small')").count(),
      slice.too_small ? 1 : 0,
    );
  }
  assert.ok(slices.some((slice) => slice.too_small) && slices.some((slice) => !slice.too_small));
}

/** The answer, and who is how far from what is expected in which part. */
async function holdsDeviations(page, { summary, deviations = [] }, who) {
  const answers = await page.$$eval(".answer", (found) => found.map((one) => one.textContent));
  assert.equal(answers.at(-1), summary);
  const shown = (await readTables(page, "Deviations by slice")).map(
    ([name, value]) => `${name} ${value}`,
  );
  assert.deepEqual(
    shown,
    deviations.map((row) => `${row[who]} ${row.value || "(none)"}`),
  );
}

async function holdsMoves(page, { answer, pairs }) {
  assert.equal(await page.textContent(".lead"), answer);
  const cells = await readTables(page, "Pairs of systems");
  assert.deepEqual(
    cells.map(([above, below, , , , , asked]) => [above, below, asked]),
    pairs.map((pair) => [pair.above, pair.below, `${pair.items_asked} of ${pair.items}`]),
  );
}

async function holdsChanges(page, { systems, judge_drift: drift }) {
  const cells = await readTables(page, "Systems");
  // Of what did not change there is no row.
  const open = systems.filter(({ items_changed, change }) => items_changed || change.difference);
  assert.deepEqual(
    cells.map(([system, verdict, , before, now]) => [system, verdict, before, now]),
    open.map(({ system, verdict, before, now }) => [
      system,
      verdict,
      percent(before),
      percent(now),
    ]),
  );
  assert.ok(
    systems.some(({ verdict }) => verdict === "worse"),
    "the system whose answers were cut is worse",
  );
  assert.match(
    await page.textContent(".lead"),
    new RegExp(
      `${systems.filter(({ verdict }) => verdict === "worse").length} of ${systems.length} systems worse`,
    ),
  );
  assert.match(
    await page.textContent(".lead"),
    new RegExp(`${systems.length - open.length} systems gave the same answers`),
  );
  assert.ok(
    (await page.textContent("main")).includes(
      `${drift.turned} of ${drift.judgments} judgments of the same answers`,
    ),
  );
  for (const { system, by_item: items } of open)
    assert.equal((await readTables(page, `Items of ${system}`)).length, Math.min(20, items.length));
  const [system, item] = await page.$eval("[aria-label^='Items of'] a", (link) => [
    link.closest("[aria-label]").getAttribute("aria-label").replace("Items of ", ""),
    link.textContent,
  ]);
  await page.evaluate(() => document.querySelector("[aria-label^='Items of'] a").click());
  await page.waitForSelector(`h1 bdi:text-is("${item}")`);
  assert.ok((await page.textContent(".sides")).includes(system), "the judgment is of the system");
  await page.goBack();
  await page.waitForSelector("h1:text-is('What changed')");
}

/** Each command with its heading, and what its page must hold of its JSON. */
const COMMANDS = [
  ["leaderboard", "Ranking", holdsRanking],
  ["slices", "Ranking", holdsSlices],
  ["audit", "Judge card", holdsCard],
  ["audits", "Judge card", holdsCards],
  ["meta judge", "Judge against people", holdsJudge],
  ["meta bencher", "Rankings against people", holdsBencher],
  ["meta benchers", "Rankings against people", holdsBenchers],
  ["meta study", "Study", holdsStudy],
  ["check", "Constraints kept", holdsConstraints],
  ["compare", "What changed", holdsChanges],
  ["migrate", "Another judge", holdsMoves],
];

/** The parts of a study are folded but for the first; its list of contents leads to each. */
async function holdsContents(page) {
  const parts = () => page.$$eval("details.part", (found) => found.map(({ open }) => open));
  const before = await parts();
  assert.deepEqual(before, [true, ...before.slice(1).fill(false)]);
  const titles = await page.$$eval("nav.contents button", (found) =>
    found.map((one) => one.textContent),
  );
  assert.deepEqual(
    titles,
    await page.$$eval("details.part h2", (found) => found.map((one) => one.textContent)),
  );
  await page.click(`nav.contents button:text-is("${titles.at(-1)}")`);
  assert.equal((await parts()).at(-1), true);
  assert.equal(
    await page.evaluate(() => document.activeElement.querySelector("h2")?.textContent),
    titles.at(-1),
  );
}

/** Cells in which a word is wider than its column, and stands in pieces of a few letters. */
function findColumnsOfLetters(page) {
  return page.$$eval("main tbody :is(th, td)", (cells) =>
    cells
      .filter((cell) => {
        if (cell.querySelector("table, dl, details, div, p, li")) return false;
        const text = document.createRange();
        text.selectNodeContents(cell);
        const { width, height } = text.getBoundingClientRect();
        const size = Number.parseFloat(getComputedStyle(cell).fontSize);
        const longest = Math.max(...cell.textContent.split(/[^\w.]+/).map(({ length }) => length));
        return width > 0 && height > 3 * size && width < Math.min(4, 0.3 * longest) * size;
      })
      .map((cell) => cell.textContent.slice(0, 80)),
  );
}

test("each command's result is said, in tables that fit and that axe finds nothing serious in", {
  skip: WITHOUT_BIN,
}, async () => {
  const folder = makeData();
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const { page, seen } = await openWatched(browser, { viewport: { width: 360, height: 740 } });
  for (const [name, heading, holds] of COMMANDS) {
    const [result, file] = report(folder, name);
    await page.goto(addressOf(folder, file));
    await page.waitForSelector("h1");
    assert.equal(await page.textContent("h1"), heading, name);
    if (
      [
        "audit",
        "audits",
        "check",
        "meta judge",
        "meta bencher",
        "meta benchers",
        "meta study",
      ].includes(name)
    ) {
      // With the minus sign of the tables.
      const answer = result.answer.text.replace(/([ (])-(?=\d)/g, "$1\u2212");
      assert.equal(await page.textContent("h1 + .answer"), `${answer}.`, name);
    } else assert.ok((await page.textContent(".lead")).length > 30, name);
    if (name === "meta study") await holdsContents(page);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await holds(page, result);
    assert.deepEqual(await findColumnsOfLetters(page), [], `${name} has letters in a column`);
    assert.doesNotMatch(
      await page.textContent("main"),
      /undefined(?!: no score)|NaN|\[object/,
      name,
    );
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() =>
      window.axe.run(document, { resultTypes: ["violations"] }),
    );
    const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    assert.deepEqual(
      serious.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0].html.slice(0, 160)}`),
      [],
    );
    assert.deepEqual(await findWide(page), [], `${name} is wider than the screen`);
    const outside = await page.$$eval(".data.cards td", (cells) =>
      cells
        .filter((cell) => cell.getBoundingClientRect().right > innerWidth + 1)
        .map((cell) => cell.textContent.slice(0, 80)),
    );
    assert.deepEqual(outside, [], `${name} has cells outside a phone's screen`);
  }
  assert.deepEqual(seen.errors, []);
  await page.close();
});
