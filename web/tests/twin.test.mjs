// What a file answers is what the server answers: crates/pages/tests/front_end wrote down both the
// data that a file embeds and the server's answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const golden = JSON.parse(
  readFileSync(join(root, "../crates/pages/tests/it/front_end/golden.json"), "utf8"),
);
let server;
let source;

before(async () => {
  const quiet = { hmr: false, middlewareMode: true, ws: false, watch: null };
  server = await createServer({
    root,
    configFile: false,
    appType: "custom",
    logLevel: "error",
    server: quiet,
    optimizeDeps: { noDiscovery: true },
  });
  const { FileSource } = await server.ssrLoadModule("/src/source/file.ts");
  source = new FileSource(golden.data);
});
after(() => server?.close());

test("rows, filters, sorting and paging are the server's", async () => {
  const [[[, all]]] = golden.answers;
  for (const [[query, total, offset, ids], rows] of golden.answers) {
    const found = await source.loadRows(query);
    assert.equal(found.of, all, query);
    assert.deepEqual(
      [found.total, found.offset, found.rows.map((row) => row.id)],
      [total, offset, ids],
      query,
    );
    assert.equal(found.searched, null, query);
    if (rows) assert.deepEqual(found.rows, rows);
  }
});

/** A file has no measure of how like two names are: it says all that the server does but the nearest. */
const withoutNearest = (message) => message.replace(/; did you mean `[^`]*`\?$/, "");

test("queries that the server refuses are refused in the same words", async () => {
  for (const [query, said] of golden.errors) {
    const message = withoutNearest(said);
    await assert.rejects(source.loadRows(query), (error) => {
      assert.equal(error.message, message, query);
      assert.equal(error.status, 400);
      return true;
    });
  }
});

test("a judgment holds the same texts, looks and calls", async () => {
  for (const expected of golden.details) {
    const found = await source.loadJudgment(expected.trial);
    for (const key of [
      "row",
      "trial",
      "item",
      "responses",
      "outcome",
      "detail",
      "looks",
      "people",
    ]) {
      assert.deepEqual(found[key], expected[key], `${key} of ${expected.trial}`);
    }
    const said = (calls) =>
      calls.map(({ judge, messages, reply, error, attempt }) => ({
        judge,
        messages,
        text: reply?.text,
        finish: reply?.finish,
        reasoning: reply?.reasoning ?? null,
        error,
        attempt,
      }));
    assert.deepEqual(said(found.calls), said(expected.calls));
  }
});
