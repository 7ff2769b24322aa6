// How long until the first row of the leaderboard is painted: node first.mjs URL [TIMES]
// Prints the median and all times in milliseconds, each in a fresh browser context.
import { chromium } from "playwright-core";

const [base, times = "10"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const taken = [];
for (let i = 0; i < Number(times); i++) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${base}/#/`, { waitUntil: "commit" });
  await page.waitForSelector(".board tbody tr .nm");
  // after the next frame it is painted; the page's own clock began with the navigation
  taken.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))));
  await context.close();
}
await browser.close();
const sorted = [...taken].sort((a, b) => a - b);
const mid = sorted.length >> 1;
const median = sorted.length % 2 ? sorted[mid] : (sorted[mid - 1] + sorted[mid]) / 2;
console.log(`median ${median.toFixed(0)} ms of ${taken.map((t) => t.toFixed(0)).join(" ")}`);
