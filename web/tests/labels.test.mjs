// Labels of a figure are cut only as far as those that differ stay different.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
let server;
let shortenAll;
let wrapAll;

before(async () => {
  server = await createServer({
    root,
    configFile: false,
    appType: "custom",
    logLevel: "error",
    server: { hmr: false, middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  ({ shortenAll, wrapAll } = await server.ssrLoadModule("/src/figures/labels.ts"));
});
after(() => server?.close());

test("labels that would be cut to one show what they differ in", () => {
  const names = ["setting 2, llmbar_natural", "setting 2, llmbar_adversarial"];
  const [natural, adversarial] = shortenAll(names, 130);
  assert.match(natural, /…natural$/);
  assert.match(adversarial, /…adversarial$/);
  assert.deepEqual(shortenAll(["short", "one"], 130), ["short", "one"]);
});

test("labels stay different in any room, and the same ones stay the same", () => {
  const words = ["pairwise", "-5point", ", against ", "gpt-4", "…", " (2)", "x"];
  let seed = 1;
  const draw = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor(seed / 65536) % below;
  };
  for (let round = 0; round < 3000; round += 1) {
    const label = () => Array.from({ length: draw(9) }, () => words[draw(words.length)]).join("");
    const labels = Array.from({ length: 1 + draw(12) }, label);
    const shown = shortenAll(labels, 20 + draw(200));
    const letters = 6 + draw(30);
    const most = 1 + draw(4);
    const wrapped = wrapAll(labels, letters, most);
    for (const lines of wrapped.map((label) => label.split("\n"))) {
      assert.ok(lines.length <= most, JSON.stringify(lines));
      for (const line of lines) assert.ok(line.length <= letters, JSON.stringify(lines));
    }
    for (const [a, one] of labels.entries())
      for (const [b, other] of labels.entries())
        for (const of of [shown, wrapped])
          assert.equal(of[a] === of[b], one === other, JSON.stringify([labels, of]));
  }
});
