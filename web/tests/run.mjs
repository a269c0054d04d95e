// Runs every test file after the other: browsers side by side would only wait for each other.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const files = readdirSync(here).filter((name) => name.endsWith(".test.mjs")).map((name) => join(here, name));
process.exit(spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...files], { stdio: "inherit" }).status ?? 1);
