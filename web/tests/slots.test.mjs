// Which response a judge's letters mean is said only where its prompt shows it.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
let server;
let slotsOf;

before(async () => {
  server = await createServer({
    root,
    configFile: false,
    appType: "custom",
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    server: { hmr: false, middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  ({ slotsOf } = await server.ssrLoadModule("/src/parts/calls.tsx"));
});
after(() => server?.close());

/** The slots of a prompt, where `plain` said the one and `terse` the other. */
function slotsIn(prompt, [plain, terse], orders = [false, true]) {
  const responses = [
    { system: "plain", text: plain },
    { system: "terse", text: terse },
  ];
  const looks = orders.map((swapped) => ({ swapped }));
  const call = { messages: [{ role: "user", content: prompt }] };
  return slotsOf(call, { row: { a: "plain", b: "terse" }, responses, looks });
}

test("the order of a prompt says which response is the first", () => {
  const said = ["It is four.", "It is five."];
  for (const orders of [[false], [false, true]])
    assert.deepEqual(slotsIn("A: It is four. B: It is five.", said, orders), ["plain", "terse"]);
  const turned = "A: It is five. B: It is four.";
  assert.deepEqual(slotsIn(turned, said), ["terse", "plain"]);
  assert.equal(slotsIn(turned, said, [false]), null);
});

test("nothing is said of a prompt that does not show both, each at a place of its own", () => {
  for (const orders of [[false], [false, true]]) {
    for (const prompt of ["A: 4", "A: 42", "A: 4 B: 42", "A: 42 B: 4", "Of 4, which? 42"])
      for (const said of [
        ["4", "42"],
        ["42", "4"],
      ])
        assert.equal(slotsIn(prompt, said, orders), null, prompt);
    for (const prompt of ["A: yes", "B: no", "neither", ""])
      assert.equal(slotsIn(prompt, ["yes", "no"], orders), null, prompt);
    assert.equal(slotsIn("A: abc", ["ab", "bc"], orders), null);
    assert.equal(slotsIn("A: yes B: yes", ["yes", "yes"], orders), null);
    assert.equal(slotsIn("A: yes B:", ["yes", ""], orders), null);
  }
});
