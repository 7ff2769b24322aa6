// Walks the page in a real browser: node walk.mjs URL SCREENSHOTS [WIDTHxTHEME ...]
//
// On every view: no error in the console, no request to anywhere else, nothing serious from
// axe-core, nothing wider than the window, and numbers that are the server's: every text
// with a digit is in an element that says where it came from, and the server still says so.
// Prints a line for each view and exits 1 if anything was wrong. With PAGE=FOLDER the files of
// the page come from there (for negative controls), with VIEW=NAME only that view is walked.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import axe from "axe-core";

const [base, shots, ...forms] = process.argv.slice(2);
const host = new URL(base).host;
mkdirSync(shots, { recursive: true });

const ask = async (path) => (await fetch(base + path)).json();
const runs = (await ask("/benchmarks/runs?limit=100")).runs;
const suiteRun = (name) => runs.find((r) => r.experiment === "suite" && r.spec_path.includes(name))?.id;
const stress = runs.find((r) => r.spec_path === "(stress)" && r.cells > 2)?.id;
const command = runs.find((r) => r.experiment === "command")?.id;
const imported = runs.find((r) => r.subject.startsWith("web@"))?.id;
const [allFailed, someFailed] = runs.filter((r) => r.suite === "broken").map((r) => r.id);
const [newest, before] = runs.filter((r) => r.spec_path?.includes("demo")).map((r) => r.id);

const VIEWS = {
  overview: "#/?suite=demo",
  "overview-other": "#/?suite=answers",
  "overview-weights": "#/?suite=demo&weights=accuracy%3D0.1,speed%3D0.7,efficiency%3D0.1,cost%3D0.05,reliability%3D0.05&table=all",
  versus: "#/versus?suite=demo&a=bc&b=perl",
  "versus-case": "#/versus?suite=demo&a=bc&b=perl&show=all&case=whole-numbers%2Fthirty-digits",
  runs: "#/runs",
  run: `#/run?id=${newest}`,
  "run-case": `#/run?id=${newest}&agent=bc&case=remainder&table=all`,
  "run-cost": `#/run?id=${suiteRun("answers")}`,
  "run-imported": `#/run?id=${imported}`,
  "run-failed": `#/run?id=${someFailed}`,
  "run-all-failed": `#/run?id=${allFailed}`,
  "all-suites": "#/?suite=all&since=all",
  ...(command && { "run-command": `#/run?id=${command}` }),
  compare: `#/compare?a=${before}&b=${newest}`,
  "compare-agents": "#/compare?agents=all&suite=demo",
  timeline: "#/timeline?agent=web&label=%2Fsearch",
  "timeline-table": "#/timeline?agent=web&label=%2Fsearch&table=all&axis=time",
  "timeline-flat": "#/timeline?agent=steady",
  regressions: "#/regressions?agent=web",
  "regressions-none": "#/regressions?agent=steady&show=no%20change%20found",
  cost: `#/cost?run=${suiteRun("answers")}`,
  agents: "#/agents?agent=bc",
  suites: "#/suites?name=demo",
  start: "#/start",
  nowhere: "#/nowhere",
  ...(stress && { stress: `#/stress?run=${stress}`, "run-stress": `#/run?id=${stress}` }),
};

/** Texts of the page itself in which a digit is no result. */
const FIXED = [/5 to 95 %/g, /95 %/g, /0 to 1\b/g, /\bp\d+\b/g, /tick: median, 0 to/g, /per 1,000/g, /over 2 ×/g, /\$ per 1,000 and point/g, /10 % unless/g, /above 0 is worse/g, /The first 200/g, /fewer than 6/g];

async function numbers(page) {
  return page.evaluate(async (fixed) => {
    const wrong = [];
    const answers = new Map();
    const answer = async (from) => {
      if (!answers.has(from)) answers.set(from, await (await fetch(from)).json());
      return answers.get(from);
    };
    const at = (json, path) => {
      const isCount = path.endsWith("#");
      const keys = path.replace(/#$/, "");
      // a key may have dots in it: take the longest that is there
      const walk = (value, rest) => {
        if (rest === "") return value;
        if (value === null || typeof value !== "object") return undefined;
        const parts = rest.split(".");
        for (let n = parts.length; n > 0; n--) {
          const key = parts.slice(0, n).join(".");
          if (key in value) {
            const found = walk(value[key], parts.slice(n).join("."));
            if (found !== undefined) return found;
          }
        }
        return undefined;
      };
      const value = walk(json, keys);
      return isCount ? value?.length : value;
    };
    let checked = 0;
    for (const element of document.querySelectorAll("[data-from][data-value]")) {
      const said = element.dataset.value === "null" ? null : Number(element.dataset.value);
      const is = at(await answer(element.dataset.from), element.dataset.path);
      checked++;
      if (said !== (is ?? null)) wrong.push(`${element.dataset.path}: the page has ${said}, the server ${is}`);
    }
    const plain = (text) => text.replaceAll("`", "").replace(/\s+/g, " ").trim();
    for (const element of document.querySelectorAll("[data-text]")) {
      if (!element.dataset.from) {
        wrong.push(`a text without its place: ${element.textContent.slice(0, 60)}`);
        continue;
      }
      const is = at(await answer(element.dataset.from), element.dataset.path);
      checked++;
      if (plain(element.textContent) !== plain(String(is ?? ""))) wrong.push(`${element.dataset.path}: the page says "${element.textContent}", the server "${is}"`);
    }
    const patterns = fixed.map(([source, flags]) => new RegExp(source, flags));
    const walker = document.createTreeWalker(document.getElementById("main"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      let text = node.textContent;
      for (const pattern of patterns) text = text.replace(pattern, "");
      if (!/\d/.test(text)) continue;
      if (node.parentElement.closest("[data-value], [data-text], [data-name], [data-axis], time, code, pre, kbd, option, svg title")) continue;
      wrong.push(`a number without a place: "${text.trim()}" in <${node.parentElement.tagName.toLowerCase()} class="${node.parentElement.className}">`);
    }
    // What is not all is not called all.
    for (const element of document.querySelectorAll("[data-value]")) {
      const share = Number(element.dataset.value);
      if (share > 0.99 && share < 1 && /^100\s%$/.test(element.textContent)) wrong.push(`${share} is called ${element.textContent}`);
    }
    // The mark of a verdict goes with its word: what was not found is not equivalent.
    for (const element of document.querySelectorAll(".v.equivalent")) {
      if (!/equivalent/.test(element.textContent)) wrong.push(`marked as equivalent: "${element.textContent}"`);
    }
    for (const element of document.querySelectorAll(".v.worse")) {
      if (/better/.test(element.textContent)) wrong.push(`marked as worse: "${element.textContent}"`);
    }
    return { wrong, checked };
  }, FIXED.map((p) => [p.source, p.flags]));
}

/** Changes on the first screen are of a run of the suite that is ranked there. */
async function ofOtherSuites(page, suite) {
  const places = await page.evaluate(() => [...document.querySelectorAll("[data-from$='/regressions']")].map((e) => e.dataset.from));
  const ids = new Set(places.map((p) => p.split("/").at(-2)));
  return [...ids].filter((id) => runs.find((r) => r.id === id)?.suite !== suite).map((id) => `changes of run ${id}, which is not of ${suite}`);
}

/** What is in a card stays in it, unless the reader can scroll there. */
function outsideCards(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".card")].flatMap((card) => {
      const edge = card.getBoundingClientRect().right + 1;
      const out = [...card.querySelectorAll("td, th, p, pre, svg, button, dd")].filter((e) => e.getBoundingClientRect().right > edge && !e.closest(".scroll, .sr, pre, .hovercard") && e.checkVisibility());
      return out.slice(0, 1).map((e) => `outside its card "${card.getAttribute("aria-label")}": "${e.textContent.trim().slice(0, 40)}"`);
    }),
  );
}

async function accessibility(page) {
  await page.evaluate(axe.source); // the page's policy allows no other script: this is the driver's
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `axe: ${v.id} (${v.impact}): ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.any[0]?.message ?? ""}`).join("; ")}`);
}

async function visit(context, name, hash, form) {
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (m) => m.type() === "error" && wrong.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => wrong.push(`error: ${e.message}`));
  page.on("request", (r) => {
    const url = new URL(r.url());
    if (url.protocol.startsWith("http") && url.host !== host) wrong.push(`a request to ${url.host}`);
  });
  let open = 0;
  let quietSince = Date.now();
  const counts = (r) => r.resourceType() !== "eventsource"; // that one never ends
  page.on("request", (r) => counts(r) && open++);
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (r) => counts(r) && (open--, (quietSince = Date.now())));
  if (process.env.PAGE) {
    for (const file of ["app.js", "app.css"]) await page.route(`**/${file}`, (r) => r.fulfill({ path: `${process.env.PAGE}/${file}` }));
  }
  await page.goto(`${base}/${hash}`);
  while (open > 0 || Date.now() - quietSince < 120) await page.waitForTimeout(30);
  await page.waitForFunction(() => !document.querySelector("[aria-busy]"), null, { timeout: 20e3 });
  await page.waitForTimeout(50); // the charts know their width one frame later
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) wrong.push(`${wide} px wider than the window`);
  if (name !== "nowhere" && (await page.locator("main h1, main .empty").count()) === 0) wrong.push("neither a sentence nor what to do");
  wrong.push(...(await outsideCards(page)).slice(0, 3));
  const walked = await numbers(page);
  wrong.push(...walked.wrong.slice(0, 12), ...(await accessibility(page)));
  if (name.startsWith("overview")) wrong.push(...(await ofOtherSuites(page, /suite=(\w+)/.exec(hash)[1])));
  await page.screenshot({ path: `${shots}/${name}-${form}.png`, fullPage: true });
  await page.close();
  console.log(`${wrong.length ? "not ok" : "ok"} ${name} ${form}: ${walked.checked} numbers and texts are the server's`);
  for (const one of wrong) console.log(`#   ${one}`);
  return wrong.length;
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
let failures = 0;
for (const form of forms.length ? forms : ["1280-light", "1280-dark", "390-light", "390-dark"]) {
  const [width, colorScheme] = form.split("-");
  const context = await browser.newContext({ viewport: { width: Number(width), height: 900 }, colorScheme, reducedMotion: "reduce" });
  const chosen = Object.entries(VIEWS).filter(([name]) => !process.env.VIEW || name === process.env.VIEW);
  for (const [name, hash] of chosen) failures += await visit(context, name, hash, form);
  await context.close();
}
await browser.close();
process.exit(failures ? 1 : 0);
