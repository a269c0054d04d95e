// Runs every test file after the other, or those that are named: browsers side by side would only
// wait for each other.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const named = process.argv.slice(2);
const files = readdirSync(here).filter(
  (name) => name.endsWith(".test.mjs") && (!named.length || named.includes(name)),
);
const run = spawnSync(
  process.execPath,
  [
    "--test",
    "--test-concurrency=1",
    "--test-reporter=spec",
    ...files.map((name) => join(here, name)),
  ],
  { stdio: "inherit" },
);
process.exit(run.status ?? 1);
