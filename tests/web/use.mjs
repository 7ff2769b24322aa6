// Uses the page as a reader does: node use.mjs URL. Exits 1 with what did not work.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const base = process.argv[2];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true })).newPage();
const errors = [];
page.on("pageerror", (e) => errors.push(e.message));
const first = () => page.locator(".board tbody tr .nm .agent").first().textContent();

async function step(name, act) {
  await act();
  console.log(`ok ${name}`);
}

await page.goto(`${base}/#/`);
await page.waitForSelector(".board tbody tr");

await step("the first screen says who is best", async () => {
  const sentence = await page.locator("h1").textContent();
  const board = await (await fetch(`${base}/benchmarks/leaderboard?since=30d`)).json();
  assert.equal(sentence.replaceAll("\u00a0", " "), board.sentence);
  assert.match(await page.title(), new RegExp(await first()));
});

await step("a weight re-ranks at once, and the address keeps it", async () => {
  assert.equal((await first()).split(" ")[0], "bc");
  const { rows } = await (await fetch(`${base}/benchmarks/leaderboard?since=30d`)).json();
  const fastest = rows.reduce((a, b) => (b.scores.speed.score > a.scores.speed.score ? b : a)).agent_name; // as it was measured here
  const slider = page.locator("#w-speed");
  await slider.focus();
  await slider.evaluate((e) => {
    e.value = 100;
    e.dispatchEvent(new Event("input", { bubbles: true }));
  });
  assert.equal((await first()).split(" ")[0], fastest); // before the server was asked
  await slider.dispatchEvent("change");
  await page.waitForFunction(() => location.hash.includes("weights="));
  await page.waitForFunction(() => !document.querySelector(".board .rk")?.textContent.includes("moving"));
  assert.equal((await first()).split(" ")[0], fastest); // and the server agrees
  await page.getByRole("button", { name: "Reset" }).click();
  await page.waitForFunction(() => !location.hash.includes("weights="));
});

await step("a weight is moved by keys, one after the other, and keeps the focus", async () => {
  const slider = page.locator("#w-cost");
  const before = Number(await slider.inputValue());
  await slider.focus();
  for (let i = 1; i <= 3; i++) {
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((share) => new RegExp(`cost%3D${share}`).test(location.hash), (before + i) / 100);
    await page.waitForTimeout(150); // the server has answered
    assert.equal(await page.evaluate(() => document.activeElement.id), "w-cost");
    assert.equal(Number(await slider.inputValue()), before + i);
  }
  await page.getByRole("button", { name: "Reset" }).click();
  await page.waitForFunction(() => !location.hash.includes("weights="));
});

await step("t shows tables, ? the keys, d the other theme", async () => {
  await page.locator("main").focus();
  await page.keyboard.press("t");
  await page.waitForFunction(() => location.hash.includes("table=all"));
  await page.keyboard.press("t");
  await page.keyboard.press("d");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.keyboard.press("d");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
});

await step("j and Enter open a row of the leaderboard", async () => {
  await page.locator("main").focus();
  await page.keyboard.press("j");
  await page.waitForSelector(".board tr[aria-selected=true]");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/agents?agent="));
});

await step("a chart is saved as CSV with full numbers, as SVG and as PNG", async () => {
  const run = (await (await fetch(`${base}/benchmarks/runs?limit=1`)).json()).runs[0].id;
  await page.goto(`${base}/#/run?id=${run}`);
  const card = page.locator("section.card", { hasText: "every trial" }).first();
  await card.waitFor();
  const save = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), card.getByRole("button", { name, exact: true }).click()]);
    return readFileSync(await download.path());
  };
  const csv = (await save("CSV")).toString();
  const report = await (await fetch(`${base}/benchmarks/runs/${run}`)).json();
  const metric = report.cells[0].metrics[0];
  assert.ok([metric.level, metric.level_n, metric.median, metric.median_low].every((v) => csv.includes(String(v))), csv.slice(0, 200));
  assert.match((await save("SVG")).toString(), /^<svg .*<circle/s);
  assert.equal((await save("PNG")).subarray(1, 4).toString(), "PNG");
});

await step("points of a chart are reached by arrow keys and read out", async () => {
  const chart = page.locator('[data-chart="distribution"]');
  await chart.focus();
  await page.keyboard.press("ArrowRight");
  const card = await page.locator('[data-chart="distribution"] .hovercard').textContent();
  assert.match(card, /level .*(\[.*\]|too few for an interval), n = \d+/s);
});

await step("a run is started, watched while it goes, and leads to its result", async () => {
  await page.goto(`${base}/#/start`);
  await page.waitForSelector("form select[name=suite]");
  assert.equal(await page.locator("select[name=suite] option").count(), 1);
  // the suite's own agents can be chosen, and what it allows to be set is said
  const suite = await (await fetch(`${base}/benchmarks/suites/demo`)).json();
  await page.waitForSelector("input[name=agent]");
  assert.deepEqual(await page.locator("input[name=agent]").evaluateAll((all) => all.map((e) => e.value)), suite.agents);
  assert.match(await page.locator("form.form").first().textContent(), suite.overridable.length ? new RegExp(suite.overridable[0]) : /allows no settings/);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForFunction(() => location.hash.startsWith("#/live?run="), null, { timeout: 20e3 });
  await page.getByRole("button", { name: "Cancel" }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("table tbody tr").length > 0, null, { timeout: 30e3 });
  await page.waitForFunction(() => [...document.querySelectorAll('td[data-l="done"] [data-value]')].some((e) => Number(e.dataset.value) > 0), null, { timeout: 60e3 });
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "See the result" }).waitFor({ timeout: 30e3 });
  // What it counted and estimated while it went is what the store has now.
  const id = new URLSearchParams(new URL(page.url()).hash.split("?")[1]).get("run");
  const cells = (await (await fetch(`${base}/benchmarks/runs/${id}`)).json()).cells;
  const values = (column) => page.locator(`td[data-l="${column}"]`).evaluateAll((all) => all.map((td) => td.querySelector("[data-value]")?.dataset.value).filter(Boolean).map(Number));
  const done = (await values("done")).filter((n) => n > 0);
  const kept = cells.filter((c) => c.trials.attempted > 0);
  assert.ok(done.length > 0);
  assert.deepEqual(done.sort(), kept.map((c) => c.trials.attempted).sort());
  const medians = kept.map((c) => c.metrics.find((m) => m.name === "duration_s").median);
  assert.deepEqual((await values("median")).sort(), medians.filter((m) => m !== null).sort());
  // It is started again from here: its own words are for the server alone.
  await page.goto(`${base}/#/run?id=${id}`);
  await page.getByRole("link", { name: "Start again" }).waitFor();
  assert.equal(await page.getByText("--request").count(), 0);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/live-1280-light.png`, fullPage: true });
});

assert.deepEqual(errors, []);
await browser.close();
