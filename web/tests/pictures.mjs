// Draws the pictures of docs/reports.md: EVENHAND_BIN=PROGRAM node web/tests/pictures.mjs
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { addressOf, evenhand, launch, makeFolder, QUICKSTART } from "./browser.mjs";

const images = join(dirname(fileURLToPath(import.meta.url)), "../../docs/images");
const PICTURES = [
  ["ranking", "", "light", 760],
  ["judgments", "judgments?flipped=1", "light", 700],
  ["judgment", "judgment/3", "light", 790, 330],
  ["dark", "matrix", "dark", 660],
];

const folder = makeFolder("pictures");
evenhand(folder, "rank", "--data", QUICKSTART, "--judge", "simulated:accuracy=0.85,first-slot=0.1", "--protocol", "pairwise/cot", "--run", "quickstart", "--report", "report.html", "--quiet");
const address = addressOf(folder, "report.html");
mkdirSync(images, { recursive: true });
const browser = await launch();
for (const [name, route, colorScheme, height, down = 0] of PICTURES) {
  const page = await browser.newPage({ viewport: { width: 1100, height }, colorScheme });
  await page.goto(`${address}#/${route}`);
  await page.waitForSelector("h1");
  await page.waitForTimeout(400);
  await page.evaluate((top) => scrollTo(0, top), down);
  await page.screenshot({ path: join(images, `${name}.png`) });
  await page.close();
}
await browser.close();
