// Opens views by short or odd addresses: node open.mjs URL. Exits 1 with what did not work. The
// store has the suites `old` (two agents, twice) and `new` (one), and one-liners after them.
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
  await page.waitForFunction(() => location.hash.includes("suite=new"));
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
  const listed = (await (await fetch(`${base}/benchmarks/runs?limit=100`)).json()).runs;
  assert.deepEqual(names, listed.map((r) => r.suite ?? r.subject));
  assert.ok(names.includes("fast and 1 more"), names.join());
});

await step("an agent that nobody knows is said to be unknown", "#/timeline?agent=nobody", async () => {
  assert.match(await text("[role=alert]"), /nobody/);
});

await step("the command of a run can be pasted", "#/runs", async () => {
  const listed = (await (await fetch(`${base}/benchmarks/runs?limit=100`)).json()).runs;
  await page.goto(`${base}/#/run?id=${listed.find((r) => !r.suite).id}`);
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
