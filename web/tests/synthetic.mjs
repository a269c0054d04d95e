// A report made up from a seed, with hostile strings in every field where asked for.
import { deflateRawSync } from "node:zlib";

/** `change` makes of the overview that of another command. */
export function makeReport({
  items = 40,
  names = ["careful", "warm", "hot~er", "terse"],
  hostile = [],
  change = (overview) => overview,
} = {}) {
  let state = 7;
  const draw = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  let next = 0;
  const say = (plain) => (hostile.length ? `${hostile[next++ % hostile.length]} ${plain}` : plain);
  const systems = names.map((name) => (hostile.length ? say(name) : name));
  const data = { items: [], responses: [], prompts: [] };
  const judgments = Object.fromEntries(
    "trial item first second systems replicate p_first p_tie p_second score places failure detail looks calls people cost"
      .split(" ")
      .map((key) => [key, []]),
  );
  const calls = Object.fromEntries(
    "judge prompt reply reasoning finish error prompt_tokens completion_tokens attempt"
      .split(" ")
      .map((key) => [key, []]),
  );
  const wins = new Map();
  const count = { flipped: 0, failed: 0 };
  for (let item = 0; item < items; item += 1) {
    data.items.push({
      id: say(`item-${item}`),
      text: say(`Explain **thing ${item}** in a few words.`),
      category: say(item % 2 ? "writing" : "reasoning"),
      reference: say("A reference."),
    });
    systems.forEach((_, system) => {
      data.responses.push({
        item,
        system,
        text: say(
          `# Answer ${system}\n\nIt is *thing ${item}*. [a link](https://example.org/x) ![alt](https://example.org/y.png)`,
        ),
        turns: [{ role: say("user"), content: say("before") }],
        trajectory: { steps: [{ number: 1, kind: "call", text: say("did") }], length: 2 },
      });
    });
    for (let a = 0; a < systems.length; a += 1)
      for (let b = a + 1; b < systems.length; b += 1) {
        const shares = [];
        for (const [first, second] of [
          [a, b],
          [b, a],
        ]) {
          const trial = judgments.trial.length;
          const fails = draw() < 0.02;
          const p =
            Math.round(
              100 * Math.min(1, Math.max(0, 0.62 - 0.1 * (first - second) + 0.5 * (draw() - 0.5))),
            ) / 100;
          const base = item * systems.length;
          data.prompts.push([
            {
              role: say("user"),
              parts: [
                say("Which is better?\n"),
                ["item", item],
                "\nA: ",
                ["response", base + first],
                "\nB: ",
                ["response", base + second],
              ],
            },
          ]);
          const call = {
            judge: 0,
            prompt: trial,
            reply: say(p > 0.5 ? "A" : "B"),
            reasoning: say("because"),
            finish: "stop",
            error: fails ? say("no answer") : null,
            prompt_tokens: 400,
            completion_tokens: 2,
            attempt: 0,
          };
          for (const key of Object.keys(calls)) calls[key].push(call[key]);
          const look = (swapped) => ({
            judge: 0,
            stage: "length",
            sample: 0,
            swapped,
            outcome: {
              Ok: { form: "pairwise", first: p, tie: 0, second: 1 - p, outside: 0, source: "text" },
            },
            segments: [
              [say("One."), "Two."],
              ["Eins.", "Zwei."],
            ],
          });
          const row = {
            trial,
            item,
            first,
            second,
            systems: null,
            replicate: 0,
            p_first: fails ? null : p,
            p_tie: fails ? null : 0,
            p_second: fails ? null : 1 - p,
            score: null,
            places: null,
            failure: fails ? say("unparsed") : null,
            detail: fails ? say("no verdict") : null,
            looks: item === 0 ? [look(false), look(true)] : null,
            calls: [trial],
            people: item % 5 === 0 ? "first" : null,
            cost: 0.0002,
          };
          for (const key of Object.keys(judgments)) judgments[key].push(row[key]);
          count.failed += Number(fails);
          shares.push(fails ? null : first === a ? p : 1 - p);
        }
        const cell = wins.get(`${a}:${b}`) ?? { a, b, n: 0, sum: 0, both: 0, consistent: 0 };
        for (const share of shares)
          if (share !== null) {
            cell.n += 1;
            cell.sum += share;
          }
        if (shares.every((share) => share !== null)) {
          cell.both += 1;
          const flips = (shares[0] - 0.5) * (shares[1] - 0.5) < 0;
          cell.consistent += Number(!flips);
          count.flipped += Number(flips);
        }
        wins.set(`${a}:${b}`, cell);
      }
  }
  const ranks = systems.map((system, index) => ({
    system,
    score: 1120 - 70 * index,
    ci: [1075 - 70 * index, 1166 - 70 * index],
    rank: index + 1,
    rank_ci: [Math.max(1, index), Math.min(systems.length, index + 1)],
    n: items * 6,
  }));
  const figures = [
    {
      kind: "dots",
      title: say("Flips by probe"),
      note: say("95 % intervals"),
      axis: { label: say("share") },
      rows: [
        {
          label: say("order"),
          group: say("one"),
          value: 0.2,
          low: 0.1,
          high: 0.3,
          text: say("0.2"),
        },
        { label: say("length"), group: null, value: 0.4, low: 0.35, high: 0.5, text: "0.4" },
      ],
    },
    {
      kind: "dots",
      title: say("Fixed coverage"),
      axis: { label: say("share") },
      bars: true,
      rows: [say("relation"), "score"].flatMap((label, at) =>
        [say("portia:3"), null].map((group) => ({
          label,
          group,
          value: group && 0.2 + 0.1 * at,
          low: null,
          high: group && 0.5,
          text: say("0.2"),
        })),
      ),
    },
    {
      kind: "grid",
      title: say("Concordance"),
      note: "",
      rows: [say("x"), "y"],
      columns: [say("x"), "y"],
      cells: [
        [{ value: 1, text: say("1.00") }, null],
        [
          { value: 0.4, text: "0.40" },
          { value: 1, text: "1.00" },
        ],
      ],
      scale: { low: 0, high: 1, label: "tau" },
    },
    {
      kind: "lines",
      title: "Tau over u",
      note: "",
      x: { label: say("u") },
      y: { label: "tau" },
      series: [
        {
          label: say("j1"),
          dashed: false,
          points: [1, 2, 3].map((x) => ({ x, y: x / 4, text: say(`${x}`) })),
        },
        {
          label: "j2",
          dashed: true,
          points: [1, 2, 3].map((x) => ({ x, y: 0.9 - x / 5, text: `${x}` })),
        },
      ],
    },
    {
      kind: "points",
      title: "Scores and ratings",
      note: "",
      x: { label: "rating" },
      y: { label: "score" },
      points: [
        { label: say("p"), group: say("g"), x: 1, y: 2, low: 1.5, high: 2.5, text: say("t") },
        { label: "q", group: "h", x: 2, y: 3, low: null, high: null, text: "t" },
      ],
    },
  ];
  const rows = judgments.trial.length / 2;
  const overview = {
    evenhand: "0.1.0",
    command: "rank",
    title: say("runs/example"),
    version: "1",
    live: false,
    mode: "file",
    review: false,
    manifest: { judge: say("simulated"), [say("key")]: say("value") },
    report: {
      answer: { text: say("careful leads; terse and hot~er are worse than it (p 0.004)") },
      ranking: ranks,
      unit: "Elo points (400 per factor of ten in odds, mean 1000)",
      ci: { level: 0.95 },
      differences: [
        { a: systems[0], b: systems[1], difference: 70, ci: [12, 131], p: 0.02, p_adjusted: 0.04 },
      ],
      warnings: [say("these neighbours are not told apart: hot~er and terse")],
      ...makeSlices(ranks, say),
    },
    unit: { short: "Elo points", scale: "elo" },
    figures,
    systems,
    categories: [...new Set(data.items.map((one) => one.category))],
    judges: [say("simulated")],
    items,
    counts: {
      judgments: 2 * rows,
      rows,
      verdicts: 2 * rows - count.failed,
      flipped: count.flipped,
      split: 0,
      people: { compared: rows / 5, disagree: 4 },
      failures: { [say("unparsed")]: count.failed },
      calls: 2 * rows,
    },
    matrix: [...wins.values()].map(({ sum, ...cell }) => ({ ...cell, share: sum / cell.n })),
    sample: null,
  };
  return { ...data, overview: change(overview, say), judgments, calls };
}

/** Slices of a ranking: one in which the last is first, one that is blank and too small, one
 * without a ranking. */
function makeSlices(ranks, say) {
  const turned = [...ranks].reverse().map((row, at) => ({
    ...ranks[at],
    system: row.system,
    score: 1200 - 120 * at,
    ci: [1190 - 120 * at, 1210 - 120 * at],
    rank_ci: [at + 1, at + 1],
  }));
  const slices = [
    {
      value: say("coding"),
      n_items: 30,
      too_small: false,
      answer: { text: say(`${turned[0].system} leads; the other 2 are worse than it`) },
      ranking: turned,
      note: say("of the first turn alone"),
    },
    {
      value: "",
      n_items: 6,
      too_small: true,
      ranking: ranks.map((row) => ({ ...row, ci: null, rank_ci: null, note: say("no interval") })),
    },
    {
      value: say("prose"),
      n_items: 0,
      too_small: false,
      ranking: [],
      note: say("no comparison has a verdict"),
    },
  ];
  return {
    slices,
    interaction: makeInteraction(
      slices,
      ranks.map(({ system }) => system),
      "system",
      say,
    ),
  };
}

/** Deviations of everyone in every slice: the first one is told from chance, those of small slices
 * are not tested. */
function makeInteraction(slices, names, who, say) {
  const deviation = (name, value, at) => ({
    [who]: name,
    value,
    deviation: 0.123 - 0.1 * at,
    standard_error: at === 1 ? null : 0.04,
    pooled: 0.1 - 0.08 * at,
    p_adjusted: value === "" ? null : at === 0 ? 0.0001 : 0.07 * at,
  });
  const deviations = names.flatMap((name, number) =>
    slices.map(({ value }, at) => deviation(name, value, number + at)),
  );
  return {
    summary: say("Scores differ by kind: careful is better on coding."),
    field: say("kind"),
    method: say("permutation of items"),
    unit: "share won",
    least_items: 10,
    seed: 7,
    permutations: 2000,
    tested: 8,
    p: 0.0001,
    deviations,
  };
}

/** Makes of a ranking the result of `check` on the same slices, with points of their own in
 * each. */
export function toCheck(overview, say) {
  const kept = (by) =>
    overview.systems.map((system, at) => ({
      system,
      prompts: 20 + by,
      prompt_strict: (9 - at - by) / 20,
      prompt_strict_ci: [0.1, 0.6],
      prompt_loose: (10 - at) / 20,
      prompt_loose_ci: [0.2, 0.7],
      instructions: 40,
      instruction_strict: (8 + at) / 40,
      instruction_strict_ci: [0.1, 0.5],
      instruction_loose: 0.5,
      instruction_loose_ci: [0.3, 0.7],
      types: { [say("length:words")]: { n: 20, strict: 8 + at, loose: 9 + at } },
    }));
  const slices = overview.report.slices.map(({ ranking, ...slice }, at) => ({
    ...slice,
    systems: ranking.length ? kept(at + 1) : [],
  }));
  const interaction = { ...overview.report.interaction, unit: "points" };
  return {
    ...overview,
    command: "check",
    matrix: [],
    report: { systems: kept(0), level: 0.95, slices, interaction },
  };
}

/** Makes of a ranking the result of `meta judge`, of one judge or of several. */
export const toJudges = (count) => (overview, say) => {
  const judges = Array.from({ length: count }, (_, at) => ({
    judge: say(`judge ${at}`),
    protocol: say("pairwise"),
    n: 100,
    accuracy: 0.8 - 0.1 * at,
    accuracy_ci: [0.6, 0.9],
    consistency: 0.7,
    consistency_ci: [0.6, 0.8],
  }));
  const interaction = makeInteraction(
    overview.report.slices,
    judges.map(({ judge }) => judge),
    "judge",
    say,
  );
  return {
    ...overview,
    command: "meta judge",
    matrix: [],
    report:
      count === 1
        ? { ...judges[0], level: 0.95, interaction }
        : { judges, level: 0.95, interaction },
  };
};

/** Puts a report into the page as crates/pages does. */
export function writeFilePage({ page, script, sheet, data }) {
  const packed = deflateRawSync(Buffer.from(JSON.stringify(data))).toString("base64");
  const csp =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'";
  return page
    .replace(/(Content-Security-Policy" content=")[^"]*/, (_, start) => start + csp)
    .replace('<link rel="stylesheet" href="app.css">', () => `<style>${sheet}</style>`)
    .replace(
      '<script type="application/json" id="evenhand-data">{"mode":"server"}</script>',
      () => `<script type="application/octet-stream" id="evenhand-data">${packed}</script>`,
    )
    .replace('<script src="app.js"></script>', () => `<script>${script}</script>`);
}
