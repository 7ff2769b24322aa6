// Bundles the page: node web/build.mjs PACKAGES OUT
// PACKAGES holds node_modules as the lock file says; OUT gets each file of the page, and
// each again with .gz, which is what the program embeds and serves.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [packages, out] = process.argv.slice(2).map((path) => resolve(path));
const source = join(dirname(fileURLToPath(import.meta.url)), "src");
const esbuild = createRequire(join(packages, "package.json"))("esbuild");
const LIMIT = 350_000; // bytes of all files together, packed

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await esbuild.build({
  entryPoints: { app: join(source, "main.js") },
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome100", "firefox100", "safari15.4"],
  legalComments: "none",
  nodePaths: [join(packages, "node_modules")],
  outdir: out,
  logLevel: "warning",
});
for (const name of ["index.html", "logo.svg"]) cpSync(join(source, name), join(out, name));

let total = 0;
const hash = createHash("sha256");
for (const name of readdirSync(out)) {
  const packed = gzipSync(readFileSync(join(out, name)), { level: 9 });
  writeFileSync(join(out, `${name}.gz`), packed);
  hash.update(name).update(packed);
  total += packed.length;
}
if (total > LIMIT) {
  console.error(`web: ${total} bytes packed, more than ${LIMIT}`);
  process.exit(1);
}
// Last: make takes this file as the sign that the others are there.
const etag = hash.digest("hex").slice(0, 16);
writeFileSync(join(out, "etag.h"), `/* of all files of the page together */\n#define WEB_ETAG "\\"${etag}\\""\n`);
