// Opens views by short or odd addresses: node open.mjs URL. Exits 1 with what did not work. The
// store has the suites `a-none` (of its only agent nothing ranks), `old` (two agents, twice; the
// newer run was disturbed), `new` (one), `broken` (one of two cannot be started) and `prompted`
// (two prompts, of two agents one with a long name), an import, and one-liners after them.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const base = process.argv[2];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 700 } })).newPage();
const errors = [];
page.on("pageerror", (e) => errors.push(e.message));

async function step(name, hash, act) {
  await page.goto("about:blank");
  await page.goto(`${base}/${hash}`);
  await page.waitForSelector("main h1, main .empty:not([aria-busy])");
  await page.waitForFunction(() => !document.querySelector("main [aria-busy]"));
  await act();
  console.log(`ok ${name}`);
}
const text = (where) => page.locator(where).first().textContent();
const query = () => new URLSearchParams(new URL(page.url()).hash.split("?")[1]);

await step("the first screen puts its suite into the address, and keeps what changed in it", "#/?suite=old", async () => {
  const card = page.locator("section.card", { hasText: "Since last time" });
  assert.doesNotMatch(await card.textContent(), /No run of this suite/);
  assert.match(await card.textContent(), /No change was found|No earlier version|comparisons over/);
  await page.goto(`${base}/#/`);
  await page.reload();
  await page.waitForFunction(() => location.hash.includes("suite=broken"));
});

const listed = (await (await fetch(`${base}/benchmarks/runs?limit=100`)).json()).runs;
const of = (test) => listed.find(test).id;

await step("an imported run opens, and says that it was not measured here", `#/run?id=${of((r) => r.subject === "web@1.2")}`, async () => {
  assert.match(await text("section.card[aria-label=Machine]"), /not measured here: imported/);
});

await step("a failed cell says why, and is no group of its own", `#/run?id=${of((r) => r.suite === "broken")}`, async () => {
  assert.match(await text('section.card[aria-label="What failed"]'), /gone.*failed.*command '\/nonexistent\/program' not found/s);
  assert.equal(await page.locator('[aria-label="Benchmark"]').count(), 0);
});

await step("a disturbed run is marked, with its note", "#/runs", async () => {
  const run = listed.find((r) => r.disturbed);
  const marks = page.locator(".v.warn", { hasText: "disturbed" });
  assert.equal(await marks.count(), 1);
  assert.equal(await marks.getAttribute("title"), run.notes);
  await page.goto(`${base}/#/run?id=${run.id}`);
  await page.waitForSelector(".where .v.warn");
  assert.match(await text(".warnbox"), /other work took 40\s% of it/);
});

await step("shares are compared in points, as the terminal has them", `#/compare?a=${listed.filter((r) => r.suite === "old").map((r) => r.id).reverse()[0]}&b=${of((r) => r.suite === "old")}&show=all`, async () => {
  const cells = await page.locator("tr", { hasText: "accuracy" }).locator('td[data-l="ratio, or shift"]').allTextContents();
  assert.ok(cells.length > 0);
  for (const cell of cells) assert.match(cell, /^[+\u2212]?[0-9.]+ \[.*\] points$/);
});

await step("of all suites the first group alone has medals, and no versus is asked", "#/?suite=all", async () => {
  const refused = [];
  page.on("response", (r) => r.status() >= 400 && refused.push(r.url()));
  await page.reload();
  await page.waitForSelector(".board .medal");
  await page.waitForFunction(() => !document.querySelector("main [aria-busy]"));
  assert.deepEqual(refused, []);
  const medals = await page.locator(".board .medal").evaluateAll((all) => all.map((e) => e.textContent));
  assert.equal(medals.filter((m) => m === "1").length, 1, medals.join());
  assert.ok(medals.every((m) => /^[123]$/.test(m)), medals.join());
});

await step("agents are called what the board calls them", "#/versus?suite=old", async () => {
  await page.waitForSelector("table.grid");
  const names = await page.locator('label:has-text("First agent") option').allTextContents();
  assert.deepEqual(names.filter((n) => n.includes("@")), []);
  assert.ok(names.includes("good 1"), names.join());
});

await step("where nothing ranks the choice stays, with the reason", "#/?suite=old&category=cost", async () => {
  assert.match(await text("main h1"), /Nothing is ranked/);
  assert.equal(await page.locator("main select").first().inputValue(), "old");
  assert.match(await text("main .card.empty"), /No agent has a measured success|Left out/);
});

await step("agents of several prompts have their answers side by side, prompt by prompt", "#/versus?suite=prompted&show=all", async () => {
  await page.waitForSelector("table.grid");
  const heads = await page.locator("table.grid tr.head b").allTextContents();
  assert.deepEqual(heads, ["lines, prompt long", "lines, prompt short"]);
  assert.equal(await page.locator("table.grid td.ans").count(), 2 * 30 * 2);
});

for (const [width, hash] of [[1280, "#/versus?suite=prompted"], [390, "#/versus?suite=prompted"], [390, "#/compare?agents=all&suite=prompted"], [390, "#/?suite=prompted"]]) {
  await page.setViewportSize({ width, height: 700 });
  await step(`a long name leaves the page as wide as it is: ${hash} at ${width}`, hash, async () => {
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  });
}
await page.setViewportSize({ width: 1280, height: 700 });

await step("shares of weightings are of one ranking, and make all of it", "#/?suite=all", async () => {
  await page.waitForSelector(".winners b");
  const shares = await page.locator(".winners [data-value]").evaluateAll((all) => all.map((e) => Number(e.dataset.value)));
  assert.ok(Math.abs(shares.reduce((sum, x) => sum + x, 0) - 1) < 0.01, shares.join());
});

for (const hash of ["#/versus", "#/versus?suite=all"]) {
  await step(`${hash} is of the newest suite with two ranked agents`, hash, async () => {
    await page.waitForFunction(() => location.hash.includes("suite=old"));
    await page.waitForSelector("table.grid");
    assert.equal(await page.locator("[role=alert]").count(), 0);
  });
}

await step("#/compare is of two runs of one command", "#/compare", async () => {
  assert.equal(await page.locator("[role=alert]").count(), 0);
  const picked = await page.locator("main select").evaluateAll((all) => all.slice(0, 2).map((e) => e.selectedOptions[0].textContent.split(" ").slice(0, 4).join(" ")));
  assert.deepEqual(picked, ["fast and 1 more", "fast and 1 more"]);
});

await step("runs are called what the terminal calls them", "#/runs", async () => {
  const names = await page.locator(".runs-all a.agent").allTextContents();
  assert.deepEqual(names, listed.map((r) => r.suite ?? r.subject.replace("web@1.2", "web 1.2")));
  assert.ok(names.includes("fast and 1 more"), names.join());
});

await step("an agent that nobody knows is said to be unknown", "#/timeline?agent=nobody", async () => {
  assert.match(await text("[role=alert]"), /nobody/);
});

await step("the command of a run can be pasted", "#/runs", async () => {
  await page.goto(`${base}/#/run?id=${of((r) => !r.suite)}`);
  await page.getByText("Run again:").waitFor();
  assert.match(await page.getByText("Run again:").textContent(), /-c 'printf "%s" x'/);
});

await step("a link to a case opens there; only what is wrong is marked", "#/versus?suite=old&a=good&b=bad&show=all&case=lines%2Fc29", async () => {
  await page.waitForSelector(".opened");
  await page.waitForFunction(() => {
    const at = document.querySelector(".opened").getBoundingClientRect();
    return scrollY > 0 && at.top >= 0 && at.top < innerHeight - 80;
  });
  assert.equal(await page.locator("td.ans.pass mark").count(), 0);
  assert.ok((await page.locator("td.ans.fail mark").count()) > 0);
  assert.equal(query().get("case"), "lines/c29");
});

assert.deepEqual(errors, []);
await browser.close();
