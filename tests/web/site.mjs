// A published copy in a real browser: node site.mjs SITE SERVER FOLDER
//
// SITE is a plain file server's, SERVER that of `assay serve` on the same store. On each view:
// no error, no request beyond the site's own files, and every number is what the server says.
// Nothing that changes something is shown; what is not in the copy says which command has it;
// opened from disk (FOLDER) the page says what to do.
import { chromium } from "playwright-core";

const [site, server, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
let failed = 0;
const check = (is, what) => {
  console.log(`${is ? "ok" : "not ok"} ${what}`);
  if (!is) failed = 1;
};

const answers = new Map();
async function ask(path) {
  if (!answers.has(path)) answers.set(path, await (await fetch(server + path)).json());
  return answers.get(path);
}

/** A key may have dots in it: the longest that is there. */
function at(value, path) {
  if (path === "") return value;
  if (value === null || typeof value !== "object") return undefined;
  const parts = path.split(".");
  for (let n = parts.length; n > 0; n--) {
    const key = parts.slice(0, n).join(".");
    const found = key in value ? at(value[key], parts.slice(n).join(".")) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const page = await browser.newPage();
let wrong = [];
page.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
page.on("pageerror", (e) => wrong.push(e.message));
page.on("request", (r) => r.url().startsWith(`${site}/`) || wrong.push(`a request to ${r.url()}`));

async function open(hash) {
  await page.goto(`${site}/index.html${hash}`);
  await page.reload(); // a change of the hash alone is no navigation
  await page.waitForSelector("main h1, main .empty:not([aria-busy])");
  await page.waitForFunction(() => !document.querySelector("main [aria-busy]"));
}

async function numbers() {
  const shown = await page.$$eval("[data-from][data-value]", (all) => all.map((e) => ({ from: e.dataset.from, path: e.dataset.path, value: e.dataset.value })));
  for (const { from, path, value } of shown) {
    const is = path.endsWith("#") ? at(await ask(from), path.slice(0, -1))?.length : at(await ask(from), path);
    if (String(is ?? null) !== value && Number(value) !== is) wrong.push(`${from} ${path}: the copy has ${value}, the server ${is}`);
  }
  return shown.length;
}

const [run] = (await ask("/benchmarks/runs?limit=1")).runs;
const views = {
  overview: "#/", versus: "#/versus?suite=demo&a=bc&b=awk", runs: "#/runs", run: `#/run?id=${run.id}`, compare: "#/compare", "compare-agents": "#/compare?agents=all",
  timeline: "#/timeline?agent=bc", regressions: "#/regressions?agent=bc", cost: "#/cost", stress: "#/stress", agents: "#/agents", suites: "#/suites",
};
for (const [name, hash] of Object.entries(views)) {
  wrong = [];
  await open(hash);
  const count = await numbers();
  const lost = await page.getByText("does not hold that answer").count();
  const buttons = await page.getByRole("button", { name: /Acknowledge|Mute|Cancel/ }).count() + await page.getByRole("link", { name: "Start a run" }).count();
  for (const line of wrong) console.log(`# ${line}`);
  check(wrong.length === 0 && lost === 0 && buttons === 0, `${name}: ${count} numbers are the server's`);
  if (name === "overview") {
    const board = await ask("/benchmarks/leaderboard?since=30d");
    const ranks = await page.$$eval('main [data-path$=".overall_score"][data-value]', (all) => all.map((e) => Number(e.dataset.value)));
    check(board.rows.length === 3 && board.rows.every((row) => ranks.includes(row.overall_score)), "the leaderboard has the server's rows");
    const slider = page.locator("#w-speed");
    await slider.fill("90");
    check((await page.locator("main h1").count()) === 1 && !(await page.url()).includes("weights"), "weights are moved without a server");
  }
}
await open("#/start");
check(await page.getByText("published copy").count() > 0, "starting a run says that this is a copy");
await open("#/versus?suite=demo&a=nobody&b=awk");
check(await page.getByText("assay versus nobody awk --suite demo").count() > 0, "what is not in it names the command");

wrong = [];
await page.goto(`file://${folder}/index.html`);
await page.waitForSelector("main .empty[role=alert]");
check(await page.getByText("python3 -m http.server").count() > 0, "from disk it says how to show it");
await browser.close();
process.exit(failed);
