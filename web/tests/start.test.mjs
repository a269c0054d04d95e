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
  return page.$$eval(`[role=region][aria-label="${label}"] tbody tr`, (rows) =>
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
    /this slice has 6 items\. With fewer than 10, intervals are too narrow/,
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
    await page.textContent("main figure h3"),
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
    inJson(slices[0].systems).map(([system, , strict]) => [system, strict]),
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
