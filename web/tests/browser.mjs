// The browser, and the program that is under test.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const ASSETS = join(here, "../../crates/pages/assets");
export const QUICKSTART = join(here, "../../examples/quickstart");
const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage".split(
    " ",
  );

/** The program, as scripts/check-web names it; tests that need it are skipped where there is
 * none. */
export const BIN = process.env.EVENHAND_BIN ?? "";
export const WITHOUT_BIN = BIN ? false : "EVENHAND_BIN names no program";

export function launch() {
  const path =
    process.env.EVENHAND_CHROMIUM ??
    execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  return chromium.launch({ executablePath: path, args: FLAGS });
}

/** Opens a page on which whatever it should not do is noted. */
export async function openWatched(browser, settings = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, ...settings });
  const seen = { requests: [], dialogs: 0, errors: [] };
  page.on(
    "request",
    (request) => /^(file|data|blob):/.test(request.url()) || seen.requests.push(request.url()),
  );
  page.on("dialog", (dialog) => {
    seen.dialogs += 1;
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => seen.errors.push(error.message));
  await page.addInitScript(() => {
    window.hits = 0;
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return { page, seen };
}

/** Returns what stands out of the screen at the right, outside of what can be scrolled. */
export function findWide(page) {
  return page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth + 1) return [];
    const wide = [...document.querySelectorAll("body *")].filter(
      (one) =>
        one.getBoundingClientRect().right > innerWidth + 1 &&
        !one.parentElement.closest(".scroll, .rows, .plain, .md"),
    );
    return [
      `${document.documentElement.scrollWidth} pixels`,
      ...wide.slice(0, 3).map((one) => one.outerHTML.slice(0, 200)),
    ];
  });
}

export function makeFolder(name) {
  return mkdtempSync(join(tmpdir(), `evenhand-${name}-`));
}

/** Runs the program to its end. */
export function evenhand(folder, ...words) {
  return execFileSync(BIN, words, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  });
}

/** Starts the program, and kills it at the end of the test. */
export function start(t, folder, ...words) {
  const child = spawn(BIN, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((done) => child.once("exit", done));
  // Its files are locked until it has gone: the next test may want them.
  t.after(() => child.kill("SIGKILL") && ended);
  return child;
}

/** Serves a run or a folder; returns the address, once it listens, those of a review alone and of who
 * decides, and what ends it. */
export async function serve(t, folder, ...words) {
  const child = start(t, folder, "view", ...words);
  const ended = new Promise((done) => child.once("exit", done));
  const addresses = words.includes("--review") ? 3 : 1;
  const [url, alone, decider] = await new Promise((found, failed) => {
    let said = "";
    const look = (chunk) => {
      said += chunk;
      const printed = said.match(/http:\/\/\S+\/\n/g) ?? [];
      if (printed.length >= addresses) found(printed.map((address) => address.trim()));
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.once("exit", () => failed(new Error(`view ended: ${said}`)));
  });
  const kill = (signal = "SIGKILL") => {
    child.kill(signal);
    return ended;
  };
  return { url, alone, decider, port: new URL(url).port, kill };
}

// With EVENHAND_ASSETS_NOW=1 the checked-in script and style take the place of those in an older
// program, so that a change of web/ is tried without building the program.
const NOW = process.env.EVENHAND_ASSETS_NOW
  ? (name) => readFileSync(join(ASSETS, name), "utf8")
  : null;

export async function withAssets(page) {
  if (!NOW) return;
  for (const [name, type] of [
    ["app.js", "text/javascript"],
    ["app.css", "text/css"],
  ]) {
    await page.route(`**/${name}`, (route) =>
      route.fulfill({ body: NOW(name), contentType: type }),
    );
  }
}

/** Returns the address of a file that the program wrote. */
export function addressOf(...path) {
  const file = join(...path);
  if (NOW) writeFileSync(file, renew(readFileSync(file, "utf8")));
  return pathToFileURL(file).href;
}

function renew(html) {
  const script = NOW("app.js");
  const digest = createHash("sha256").update(script).digest("base64");
  const [start, end] = [html.lastIndexOf("<script>"), html.lastIndexOf("</script>")];
  return `${html.slice(0, start)}<script>${script}${html.slice(end)}`
    .replace(/'sha256-[^']*'/, () => `'sha256-${digest}'`)
    .replace(/<style>[^<]*<\/style>/, () => `<style>${NOW("app.css")}</style>`);
}
