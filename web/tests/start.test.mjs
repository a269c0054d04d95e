// The page of a file opens in a browser, and hostile strings in every field do nothing.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ASSETS, findWide, launch, openWatched } from "./browser.mjs";
import { PAYLOADS } from "./payloads.mjs";
import { makeReport, toCheck, toJudges, writeFilePage } from "./synthetic.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const ROUTES = [
  "",
  "matrix",
  "judgments",
  "judgments?flipped=1&sort=-confidence",
  "judgment/0?at=0",
  "judgment/0?as=text",
  "judgment/0?as=diff",
  "figures",
];
/** What makes of the made-up report that of each command that knows slices. */
const REPORTS = {
  ranking: (overview) => overview,
  check: toCheck,
  judge: toJudges(1),
  judges: toJudges(3),
};
let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

function writeReport(options) {
  return writeData(makeReport(options));
}

function writeData(data) {
  const [page, script, sheet] = ["index.html", "app.js", "app.css"].map((name) =>
    readFileSync(join(ASSETS, name), "utf8"),
  );
  const file = join(mkdtempSync(join(tmpdir(), "pages-")), "report.html");
  writeFileSync(file, writeFilePage({ page, script, sheet, data }));
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

async function isHarmless(page, route) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await page.waitForTimeout(80);
  assert.equal(await page.evaluate(() => window.hits), 0, route);
  assert.deepEqual(await page.evaluate(() => window.violations), [], route);
  assert.equal(
    await page.evaluate(
      () =>
        document.querySelectorAll(
          "main iframe, main img, main script, main object, main embed, main base, main a:not([href^='#'])",
        ).length,
    ),
    0,
    route,
  );
}

async function openAnew(page, address, route) {
  await page.goto("about:blank");
  await page.goto(`${address}#/${route}`);
  await page.waitForSelector("h1");
}

/** Looks at all items of a made-up report, and at each of its slices by its address. */
async function eachSlice(page, options, change, look) {
  const data = makeReport({ ...options, change });
  const address = writeData(data);
  await openAnew(page, address, "");
  await look(`${data.overview.command} of all`);
  for (const [at, { value }] of (data.overview.report.slices ?? []).entries()) {
    await openAnew(page, address, `?${new URLSearchParams({ slice: value })}`);
    assert.equal(await page.inputValue("select[name=slice]"), `${at}`, value);
    await look(`${data.overview.command} of slice ${at}`);
  }
}

test("hostile strings in every field run nothing, load nothing and leave nothing", async () => {
  const { page, seen } = await openWatched(browser);
  for (let part = 0; part < PAYLOADS.length; part += 25) {
    const options = { items: 6, hostile: PAYLOADS.slice(part, part + 25) };
    const address = writeReport(options);
    for (const route of ROUTES) {
      await openAnew(page, address, route);
      await isHarmless(page, route);
    }
    for (const change of Object.values(REPORTS))
      await eachSlice(page, options, change, (at) => isHarmless(page, at));
  }
  assert.equal(seen.dialogs, 0);
  assert.deepEqual(seen.requests, []);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

/** Reads the cells of a table; spaces that do not break are spaces. */
function readTable(page, label) {
  return page.$$eval(`[role=group][aria-label="${label}"] tbody tr`, (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent.replaceAll("\u00a0", " "))),
  );
}

const choose = (page, value) => page.selectOption("select[name=slice]", { label: value });

test("a slice is chosen by its name, be it blank, too small or without a ranking", async () => {
  const { page, seen } = await openWatched(browser);
  const data = makeReport({});
  const { slices, interaction } = data.overview.report;
  await openAnew(page, writeData(data), "");
  assert.equal(await page.textContent(".answer"), interaction.summary);
  assert.deepEqual(
    await page.$$eval("select[name=slice] option", (options) =>
      options.map((option) => option.textContent),
    ),
    [
      "all items",
      "kind = coding (30 items)",
      "kind = (none) (6 items, too small)",
      "kind = prose (unknown number of items)",
    ],
  );
  assert.match(await page.textContent(".lead"), /^careful/);
  const shown = async () =>
    (await readTable(page, "Ranking as a table")).map(([, system, score]) => [system, score]);
  const inJson = ({ ranking }) =>
    ranking.map(({ system, score }) => [system, score.toLocaleString("en")]);
  const whole = inJson(data.overview.report);
  assert.deepEqual(await shown(), whole);

  await choose(page, "kind = coding (30 items)");
  await page.waitForSelector(
    ".lead:has-text('On coding, terse leads; the other 2 are worse than it.')",
  );
  assert.deepEqual(await shown(), inJson(slices[0]));
  assert.notDeepEqual(await shown(), whole);
  assert.ok(await page.isVisible("text=of the first turn alone"));
  assert.ok(
    await page.isVisible("text=Every system can be told apart from every other"),
    "the differences of the whole are not the slice's",
  );

  await choose(page, "kind = (none) (6 items, too small)");
  await page.waitForSelector(".lead:has-text('On items without kind, careful is first.')");
  assert.equal(new URL(page.url()).hash, "#/?slice=");
  assert.match(
    await page.textContent(".notice.warning:has-text('Too small')"),
    /this slice has 6 items\. With fewer than 10 items, intervals are too narrow/,
  );

  await choose(page, "kind = prose (unknown number of items)");
  await page.waitForSelector(".lead:has-text('On prose, no system has a score.')");
  assert.ok(await page.isVisible(".notice:has-text('no comparison has a verdict')"));
  assert.equal(await page.locator("table.ranking, .ranking-figures").count(), 0);
  assert.equal(await page.locator(".notice:has-text('Too small')").count(), 0);
  for (const [address, lead] of [
    ["#/?slice=", /^On items without kind/],
    ["#/?slice=coding", /^On coding/],
    ["#/", /^careful/],
  ]) {
    await page.goBack();
    await page.waitForFunction((hash) => location.hash === hash, address);
    await page.waitForFunction(
      ([source]) => new RegExp(source).test(document.querySelector(".lead").textContent),
      [lead.source],
    );
  }
  assert.deepEqual([await shown(), await page.inputValue("select[name=slice]")], [whole, ""]);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("a slice of battles has battles, its own warnings alone, and a file of its own name", async () => {
  const { page, seen } = await openWatched(browser);
  const data = makeReport({});
  const { report } = data.overview;
  delete report.items;
  Object.assign(report, {
    protocol: "recorded (battles)",
    ci: { method: "bootstrap", cluster: "none", rounds: 1000, level: 0.95 },
    seed: 3,
    warnings: ["the whole is in doubt"],
    warning_kinds: ["coin"],
  });
  data.overview.title = "board";
  await openAnew(page, writeData(data), "");
  assert.ok(await page.isVisible(".warnings:has-text('the whole is in doubt')"));
  assert.ok(
    await page.isVisible(
      "text=95\u00a0% intervals: bootstrap, 1,000 resamples of single judgments; rank intervals hold jointly (seed 3).",
    ),
  );
  await choose(page, "kind = coding (30 battles)");
  await page.waitForSelector(".lead:has-text('On coding')");
  assert.equal(await page.locator(".warnings").count(), 0);
  assert.ok(await page.isVisible("text=The ranking of all battles has 1 warning."));
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.click("text=Download this table"),
  ]);
  assert.equal(file.suggestedFilename(), "board-kind=coding.csv");
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("of many systems the table comes first, and is searched", async () => {
  const { page, seen } = await openWatched(browser);
  const data = makeReport({});
  const { report } = data.overview;
  const [row] = report.ranking;
  report.ranking = Array.from({ length: 60 }, (_, at) => ({
    ...row,
    system: `model-${String(at).padStart(2, "0")}`,
    score: 2000 - at,
    rank: at + 1,
    rank_ci: [Math.max(1, at - 1), Math.min(60, at + 3)],
    better_than: null,
  }));
  await openAnew(page, writeData(data), "");
  const names = () =>
    page.$$eval("table.ranking tbody th", (cells) => cells.map((cell) => cell.textContent));
  assert.equal((await names()).length, 60);
  assert.ok(!(await page.isVisible(".ranking-figures")));
  await page.fill("input[name=system]", "MODEL 7");
  await page.waitForSelector("text=6 of 60 systems");
  assert.deepEqual(
    await names(),
    ["07", "17", "27", "37", "47", "57"].map((number) => `model-${number}`),
  );
  // Their ranks stay.
  assert.equal(await page.textContent("table.ranking tbody td"), "8");
  await page.click("summary:has-text('Figure')");
  await page.waitForSelector(".ranking-figures svg");
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("an address opens its slice, and says so where there is none of that name", async () => {
  const { page } = await openWatched(browser);
  const address = writeReport({});
  await openAnew(page, address, "?slice=coding");
  assert.match(await page.textContent(".lead"), /^On coding/);
  assert.equal(
    await page.$eval("select[name=slice]", (select) => select.selectedOptions[0].textContent),
    "kind = coding (30 items)",
  );
  await choose(page, "all items");
  await page.waitForFunction(() => location.hash === "#/");
  assert.match(await page.textContent(".lead"), /^careful/);
  await openAnew(page, address, "?slice=%3Cb%3Ecoding");
  assert.match(
    await page.textContent("h1 ~ .notice"),
    /There is no slice kind = <b>coding in this report; all items are shown/,
  );
  assert.match(await page.textContent(".lead"), /^careful/);
  await page.close();
});

test("slices and fields that are markup are read as text", async () => {
  const { page } = await openWatched(browser);
  const data = makeReport({});
  const [field, value] = [
    "<img src=x onerror=window.hits++>",
    "</option></select><script>window.hits++</script>\n\u202egnp",
  ];
  const { slices, interaction } = data.overview.report;
  Object.assign(slices[0], { value, too_small: true });
  Object.assign(interaction, { field, summary: `${field} differs` });
  Object.assign(interaction.deviations[0], { value });
  await openAnew(page, writeData(data), `?${new URLSearchParams({ slice: value })}`);
  const shown = value.replace("\u202e", "U+202E");
  assert.equal(await page.textContent(".answer"), `${field} differs`);
  assert.ok(
    (
      await page.$eval("select[name=slice]", (select) => select.selectedOptions[0].textContent)
    ).startsWith(`${field} = ${value.replace("\u202e", "⟨U+202E⟩")} (`),
  );
  assert.ok((await page.textContent(".lead")).startsWith(`On ${shown}, terse leads`));
  assert.equal(await page.textContent("h2 >> text=/^By /"), `By ${field}`);
  assert.equal((await readTable(page, "Deviations by slice"))[0][1], shown);
  await isHarmless(page, "markup");
  await page.close();
});

test("without rank intervals no panel and no column of them is drawn, and why is said", async () => {
  const { page, seen } = await openWatched(browser);
  const heads = () =>
    page.$$eval("table.ranking thead th", (cells) =>
      cells.map((cell) => cell.textContent.replaceAll("\u00a0", " ")),
    );
  const open = async (method, change) => {
    const data = makeReport({});
    const { report } = data.overview;
    const ranking = report.ranking.map((row) => ({ ...row, rank_ci: null, ...change }));
    Object.assign(report, { ranking, slices: [], interaction: null, ci: { level: 0.95, method } });
    Object.assign(report, { labels: { matched: 97, labelled_share: 0.5 } });
    await openAnew(page, writeData(data), "");
    assert.equal(await page.locator("svg.ranks").count(), 0);
  };
  await open("prediction-powered", {});
  assert.deepEqual(await heads(), ["Rank", "System", "Score", "95 % interval", "Judgments"]);
  assert.ok(await page.isVisible("text=Ranks have no intervals: the scores have, but"));
  assert.ok(await page.isVisible(".basis li:has-text('corrected by 97 labels')"));
  await open("none", { ci: null });
  assert.deepEqual(await heads(), ["Rank", "System", "Score", "Judgments"]);
  assert.ok(await page.isVisible("text=Ranks have no intervals: none were asked for"));
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("a ranking opens with its answer and its warnings, and one long interval hides no other", async () => {
  const { page, seen } = await openWatched(browser);
  const data = makeReport({});
  const { report } = data.overview;
  const [answer, last] = [report.slices[0].answer, report.ranking.at(-1)];
  answer.text = "Of those that can be compared, terse leads; of hot~er nothing can be said";
  last.ci = [-6000, 3000];
  Object.assign(report, {
    fit: { gradient: 1.03e-13 },
    style: [1, 2].map((at) => ({ covariate: `length ${at}`, log_odds: 0.1 * at, ci: [0, 1] })),
  });
  const slices = report.ranking.flatMap(({ system, score }) =>
    ["coding", "prose"].map((group) => {
      return { label: system, group, value: score, low: score - 9, high: score + 9, text: "so" };
    }),
  );
  data.overview.figures = [
    { kind: "dots", title: "Scores by kind", axis: { label: "points" }, rows: slices },
  ];
  await openAnew(page, writeData(data), "");
  assert.deepEqual(
    await page.$$eval(".headline, .warnings, .ranking-figures, table.ranking", (parts) =>
      parts.map((part) => part.className),
    ),
    ["lead headline", "ranking-figures", "warnings", "ranking"],
  );
  const drawn = await page.$$eval(".ranking-figures .drawing text", (texts) =>
    texts.map((text) => text.textContent),
  );
  assert.ok(drawn.includes("◂") && drawn.includes("▸"), drawn.join());
  assert.ok(!drawn.some((text) => /[−-][0-9],000/.test(text)), drawn.join());
  const more = await page.textContent("details:has(summary:text-is('More of this ranking'))");
  assert.doesNotMatch(more, /gradient|style 2/);
  await openAnew(page, writeData(data), "figures");
  const labels = await page.$$eval(".drawing text", (texts) => texts.map((one) => one.textContent));
  for (const { system } of report.ranking)
    assert.equal(labels.filter((label) => label === system).length, 1, labels.join());
  await openAnew(page, writeData(data), "?slice=coding");
  assert.match(await page.textContent(".lead"), /^On coding, of those that can be compared, terse/);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("a run without a result says when it comes, or why it failed", async () => {
  const { page, seen } = await openWatched(browser);
  const open = async (change) => {
    const data = makeReport({});
    Object.assign(data.overview, { report: null, figures: [], label: "nightly", ...change });
    await openAnew(page, writeData(data), "");
    assert.equal(await page.textContent("h1"), "nightly");
    return page.textContent("main");
  };
  const stopped = await open({ state: "stopped", planned: 360, judgments: 151, verdicts: 151 });
  assert.match(
    stopped,
    /This run stopped after 151 of 360 judgments\. Run the same command to go on\./,
  );
  assert.match(stopped, /The ranking comes after the last of 360 judgments; 151 are in\./);
  const { counts } = makeReport({}).overview;
  const failures = { unparsed: 3, service: 17 };
  const failed = { state: "failed", planned: 360, judgments: 20, verdicts: 0 };
  const why = await open({ ...failed, counts: { ...counts, failures } });
  assert.match(why, /none of 20 judgments has a verdict, and 340 more were planned/);
  assert.match(why, /The commonest cause is service \(17\)\. Mend it first/);
  assert.doesNotMatch(why, /resumes it/);
  const audit = await open({ state: "stopped", manifest: { audit: "x" } });
  assert.match(audit, /This run stopped before its end\..*The result comes at the end/);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("a ranking that is older than the judgments of its run says so", async () => {
  const { page } = await openWatched(browser);
  const open = async (change, trials) => {
    const data = makeReport({});
    Object.assign(data.overview, change);
    data.overview.report.coverage = { trials, verdicts: trials, failures: {} };
    await openAnew(page, writeData(data), "");
    const { judgments } = data.overview.counts;
    return { judgments, text: await page.textContent("main") };
  };
  const { judgments } = makeReport({}).overview.counts;
  const stopped = { state: "stopped", planned: 900, judgments };
  const { text } = await open(stopped, 120);
  assert.match(
    text,
    /This run stopped after 480 of 900 judgments\..* The ranking below is an earlier one, of 120 judgments\./,
  );
  assert.match(text, /120 verdicts of 120 judgments, of 480 that the run has/);
  for (const { text } of [
    await open(stopped, judgments),
    await open({ ...stopped, state: "complete", planned: judgments }, judgments),
  ]) {
    assert.doesNotMatch(text, /earlier one/);
    assert.match(text, /verdicts of 480 judgments on 40 items/);
  }
  await page.close();
});

test("a slice counts the warnings that the page of all shows", async () => {
  const { page } = await openWatched(browser);
  for (const [kinds, count] of [
    [["not-told-apart", "few-items"], 1],
    [["not-told-apart"], 0],
  ]) {
    const data = makeReport({});
    const { report } = data.overview;
    report.answer.says = ["not-told-apart"];
    Object.assign(report, { warnings: kinds, warning_kinds: kinds });
    data.overview.sample = { kept: 10, of: 20, how: "every second item" };
    const address = writeData(data);
    await openAnew(page, address, "");
    assert.equal(await page.locator(".notice.warning").count(), count);
    await openAnew(page, address, "?slice=coding");
    const said = await page.textContent("main");
    assert.equal(/The ranking of all items has 1 warning\./.test(said), count === 1);
    assert.equal(/has \d+ warning/.test(said), count === 1);
    assert.match(said, /This file holds 10 of 20 judgments: every second item/);
  }
  await page.close();
});

test("on a phone a name of sixty letters hides no score", async () => {
  const { page } = await openWatched(browser, { viewport: { width: 375, height: 740 } });
  const names = ["careful", "warm", "hot", "terse"].map((name) => name.padEnd(60, "abcdefghij"));
  const outside = () =>
    page.$$eval("table.ranking td.num:nth-of-type(2), table.matrix td:nth-of-type(1)", (cells) =>
      cells.flatMap((cell) => {
        const { right } = cell.getBoundingClientRect();
        return right > innerWidth ? [`${cell.textContent} ends at ${right}`] : [];
      }),
    );
  for (const change of Object.values(REPORTS))
    await eachSlice(page, { names }, change, async (at) => {
      assert.deepEqual(await outside(), [], at);
      assert.deepEqual(await findWide(page), [], at);
    });
  for (const route of ROUTES) {
    await openAnew(page, writeReport({ names }), route);
    assert.deepEqual(await outside(), [], route);
    assert.deepEqual(await findWide(page), [], route);
  }
  await page.close();
});

test("on a phone the pages' links are all seen, and a table that goes on has a shadow", async () => {
  const { page } = await openWatched(browser, { viewport: { width: 375, height: 740 } });
  await openAnew(page, writeReport({}), "");
  const { links, cut, hidden, bars } = await page.evaluate(() => {
    const right = (one) => one.getBoundingClientRect().right;
    const wide = [...document.querySelectorAll(".scroll:has(> table)")].filter(
      (one) => one.scrollWidth > one.clientWidth + 1,
    );
    return {
      links: document.querySelectorAll(".top nav a").length,
      cut: [...document.querySelectorAll(".top nav a")].filter((one) => right(one) > innerWidth)
        .length,
      hidden: wide.map((one) => getComputedStyle(one).backgroundAttachment),
      bars: Math.max(...[...document.querySelectorAll(".ranking .bars")].map(right)),
    };
  });
  assert.ok(bars > 0 && bars < 375, `who is not told apart is seen, to ${bars}`);
  assert.ok(links > 2 && cut === 0, `${cut} of ${links}`);
  assert.ok(hidden.length > 0, "no table is wider than the screen");
  for (const attachment of hidden) assert.match(attachment, /local, local, scroll, scroll/);
  await page.close();
});

test("a ranking is downloaded as it stands, and a page of a site leads back to it", async () => {
  const { page, seen } = await openWatched(browser);
  const data = makeReport({});
  const { report } = data.overview;
  report.ranking[0].system = '=1+1, "best"';
  data.overview.site = true;
  await openAnew(page, writeData(data), "");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.click("text=Download this table"),
  ]);
  assert.match(file.suggestedFilename(), /^[\p{L}\d._=-]+\.csv$/u);
  const [head, first, second] = readFileSync(await file.path(), "utf8").split("\r\n");
  assert.equal(head, "system,score,ci_low,ci_high,rank,rank_low,rank_high,n,note");
  assert.ok(first.startsWith(`"'=1+1, ""best""",${report.ranking[0].score},`), first);
  assert.ok(second.startsWith(`${report.ranking[1].system},`), second);
  const back = page.locator("nav a:has-text('All pages')");
  assert.equal(await back.getAttribute("href"), "index.html");
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

test("the first page of a site is sorted by a column and filtered by words", async () => {
  const { page, seen } = await openWatched(browser);
  const script = readFileSync(join(here, "../../crates/report/src/publish/site.js"), "utf8");
  const row = (name, items) => `<tr><td>${name}</td><td class="number">${items}</td></tr>`;
  const rows = [row("week 10", 9), row("week 9", 30), row("night", 200)].join("");
  const file = join(mkdtempSync(join(tmpdir(), "site-")), "index.html");
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><div><table><thead><tr><th>page</th><th>items</th></tr></thead><tbody>${rows}</tbody></table></div><script>${script}</script>`,
  );
  await page.goto(pathToFileURL(file).href);
  const shown = () => page.locator("tbody tr:visible td:first-child").allTextContents();
  await page.click("th button:text-is('items')");
  assert.deepEqual(await shown(), ["week 10", "week 9", "night"]);
  await page.click("th button:text-is('items')");
  assert.deepEqual(await shown(), ["night", "week 9", "week 10"]);
  await page.click("th button:text-is('page')");
  assert.deepEqual(await shown(), ["night", "week 9", "week 10"]);
  // A narrow screen has a list of the columns in the place of their heads.
  await page.selectOption("select", "items");
  assert.deepEqual(await shown(), ["week 10", "week 9", "night"]);
  await page.check("input[type=checkbox]");
  assert.deepEqual(await shown(), ["night", "week 9", "week 10"]);
  await page.click("th button:text-is('page')");
  assert.equal(await page.inputValue("select"), "page");
  assert.equal(await page.isChecked("input[type=checkbox]"), false);
  await page.selectOption("select", "newest first");
  assert.deepEqual(await shown(), ["week 10", "week 9", "night"]);
  await page.fill("input[type=search]", "9 week");
  assert.deepEqual(await shown(), ["week 10", "week 9"]);
  assert.deepEqual(seen.errors, []);
  await page.close();
});

/** Says a row of the deviations as the page should. */
function sayDeviation({
  system,
  judge,
  value,
  deviation,
  standard_error: error,
  pooled,
  p_adjusted: p,
}) {
  const digits = (number) =>
    number
      .toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 })
      .replace("-", "\u2212");
  const signed = (number) => `${number > 0 ? "+" : ""}${digits(number)}`;
  return [
    system ?? judge,
    value || "(none)",
    signed(deviation),
    error === null ? "–" : digits(error),
    signed(pooled),
    p === null ? "–" : p === 0.0001 ? "< 0.001 *" : digits(p),
  ];
}

for (const [name, change] of Object.entries(REPORTS)) {
  test(`deviations are all there, and those beyond chance are marked (${name})`, async () => {
    const { page, seen } = await openWatched(browser);
    const data = makeReport({ change });
    const { interaction } = data.overview.report;
    await openAnew(page, writeData(data), "");
    assert.equal(await page.textContent(".answer"), interaction.summary);
    assert.deepEqual(
      await readTable(page, "Deviations by slice"),
      interaction.deviations.map(sayDeviation),
    );
    const sure = interaction.deviations.flatMap(({ p_adjusted: p }, at) =>
      p !== null && p <= 0.05 ? [at] : [],
    );
    assert.ok(sure.length > 0 && sure.length < interaction.deviations.length);
    assert.deepEqual(
      await page.$$eval("[aria-label='Deviations by slice'] tbody tr", (rows) =>
        rows.flatMap((row, at) => (row.className === "changed" ? [at] : [])),
      ),
      sure,
    );
    const about =
      name === "check" ? "Points in each slice" : "Share of comparisons won in each slice";
    assert.match(
      await page.textContent(`.note:has-text("${about}")`),
      /permutation of items, 2,000 permutations, seed 7.*adjusted for 8 tests, is at most 0\.05; slices of fewer than 10 items are not tested/s,
    );
    const more = page.locator("details:has(summary:text-is('More of this ranking'))");
    if (await more.count())
      assert.doesNotMatch(await more.textContent(), /slices|interaction|deviation/);
    assert.deepEqual(seen.errors, []);
    await page.close();
  });
}

test("the constraints kept in a slice are those of its systems", async () => {
  const { page, seen } = await openWatched(browser);
  const data = makeReport({ change: toCheck });
  const { systems, slices } = data.overview.report;
  await openAnew(page, writeData(data), "");
  const shown = async () =>
    (await readTable(page, "Systems")).map(([system, prompts, strict]) => [
      system,
      prompts,
      strict,
    ]);
  const inJson = (rows) =>
    rows.map(({ system, prompts, prompt_strict: strict }) => [
      system,
      `${prompts}`,
      `${(100 * strict).toFixed(1)} % (10.0 to 60.0)`,
    ]);
  assert.deepEqual(await shown(), inJson(systems));
  assert.equal(
    await page.textContent("main figure h2"),
    "Flips by probe",
    "the report's own figure",
  );
  await choose(page, "kind = coding (30 items)");
  await page.waitForSelector(".lead:has-text('On coding, careful keeps every constraint')");
  assert.deepEqual(await shown(), inJson(slices[0].systems));
  const drawn = await page.$$eval("main > figure.figure details tbody tr", (rows) =>
    rows.map((row) => [
      row.children[0].textContent,
      row.children[4].textContent.replaceAll("\u00a0", " "),
    ]),
  );
  assert.deepEqual(
    drawn.filter((_, at) => at % 4 === 0),
    inJson(slices[0].systems).map(([system, , strict]) => [`${system}, prompts, strict`, strict]),
  );
  await page.reload();
  await page.waitForSelector(".lead:has-text('On coding, careful keeps every constraint')");
  await choose(page, "kind = (none) (6 items, too small)");
  await page.waitForSelector("text=this slice has 6 items");
  await choose(page, "kind = prose (unknown number of items)");
  await page.waitForSelector(".lead:has-text('On prose, no system was checked.')");
  assert.ok(await page.isVisible(".notice:has-text('no comparison has a verdict')"));
  await page.goBack();
  await page.waitForSelector(".lead:has-text('On items without kind')");
  assert.deepEqual(await shown(), inJson(slices[1].systems));
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

for (const [name, settings] of [
  ["wide", {}],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { viewport: { width: 360, height: 740 } }],
]) {
  test(`axe finds nothing serious (${name})`, async () => {
    const { page } = await openWatched(browser, settings);
    const axe = readFileSync(join(here, "../node_modules/axe-core/axe.min.js"), "utf8");
    const found = [];
    const look = async (route) => {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() =>
        window.axe.run(document, { resultTypes: ["violations"] }),
      );
      for (const one of violations)
        if (["serious", "critical"].includes(one.impact))
          found.push(`${route}: ${one.id}: ${one.nodes[0].html.slice(0, 160)}`);
      assert.deepEqual(await findWide(page), [], `${route} is wider than the screen`);
    };
    const address = writeReport({});
    for (const route of ROUTES) {
      await openAnew(page, address, route);
      await look(route);
    }
    for (const change of Object.values(REPORTS)) await eachSlice(page, {}, change, look);
    assert.deepEqual(found, []);
    await page.close();
  });
}
