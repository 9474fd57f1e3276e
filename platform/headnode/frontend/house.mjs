// What no other tool looks for: lines and files that are too long, exports that nothing imports, rules of style sheets
// that nothing on any page can meet. Says each on a line of its own; exit status 1 if there are any.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { PurgeCSS } from "purgecss";

const WIDEST = 120;
const LONGEST = 400;
const STATIC = /^\w+\/static\//;
const ADMIN = "../.venv/lib/*/site-packages/django/contrib/admin/**/*.{html,js,py}";
// Markup that libraries make as they run: the editor, charts, the terminal; and what browsers add.
const LIBRARIES = [/^(cm|u|xterm|tok)-/, /^uplot/, /^(hr|samp|h\d|root)$/];
// Names that end in a number: a chart's series.
const NUMBERED = /^s\d$/;

process.chdir(new URL("../..", import.meta.url).pathname);
const ours = (pattern) => globSync(pattern).filter((path) => !/\/(vendor|node_modules)\//.test(path));
const text = (path) => readFileSync(path, "utf8");
const scripts = ours("*/static/**/*.js");
const sheets = ours("*/static/**/*.css");
const tests = ours("*/tests/scripts/*.js");
const templates = ours("*/**/templates/**/*.html");
const found = [];

function longLines() {
  for (const path of [...scripts, ...sheets, ...tests, ...templates, ...ours("headnode/frontend/*.{mjs,ts}")]) {
    for (const [at, line] of text(path).split("\n").entries()) {
      const range = line.trim().startsWith("U+"); // of a font's characters: one declaration
      if (line.length > WIDEST && !range) found.push(`${path}:${at + 1} has ${line.length} columns`);
    }
  }
}

function longFiles() {
  for (const path of [...scripts, ...sheets]) {
    const lines = text(path).split("\n").length - 1;
    if (lines > LONGEST) found.push(`${path} has ${lines} lines`);
  }
}

/** Names of a list within braces; `name as other` and `name: other` count by the first. */
function names(list) {
  return list.split(",").map((one) =>
    one
      .trim()
      .split(/\s+as\s+|:/)[0]
      .trim(),
  );
}

/** "app/folder/script.js name" of all that a script imports. */
function* imported(path) {
  const from = path.replace(STATIC, "");
  const target = (name) =>
    name.startsWith("/static/") ? name.slice("/static/".length) : normalize(join(dirname(from), name));
  const lists = /(?:import|export)\s*(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*"([^"]+)"/g;
  for (const [, list, name] of text(path).matchAll(lists)) {
    for (const one of names(list)) yield `${target(name)} ${one}`;
  }
  const later = /(?:\{([^}]*)\}\s*=\s*await |\(\s*await )import\("([^"]+)"\)(?:\)\.(\w+))?/g;
  for (const [, list, name, one] of text(path).matchAll(later))
    for (const each of one ? [one] : names(list ?? "")) yield `${target(name)} ${each}`;
}

function unusedExports() {
  const taken = new Set([...scripts, ...tests].flatMap((path) => [...imported(path)]));
  const measured = ours("../benchmarks/*.{js,py}").map(text).join();
  for (const path of scripts) {
    const name = path.replace(STATIC, "");
    for (const [, one] of text(path).matchAll(/^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm)) {
      // A tab of a workplace is a module with the function setUp: room.js imports it as a whole.
      if (one === "setUp" || taken.has(`${name} ${one}`) || RegExp(`\\b${one}\\b`).test(measured)) continue;
      found.push(`${path} exports ${one}, and nothing imports it`);
    }
  }
}

/** Names that are put together as a page runs: what stands before or after a part that is filled in. */
function composed(raw) {
  const before = [...raw.matchAll(/([a-z][\w-]*-)(?:\$\{|\{\{|\{)/g)].map(([, start]) => RegExp(`^${start}`));
  const after = [...raw.matchAll(/\}(-[\w-]+)/g)].map(([, end]) => RegExp(`${end}$`));
  return [...before, ...after];
}

const kebab = (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

async function unusedRules() {
  const pages = ["**/templates/**/*.html", "**/*.py"].flatMap(ours).filter((path) => !path.includes("/tests/"));
  const texts = [...pages, ...scripts, ...globSync(ADMIN)].map(text);
  const asked = texts.flatMap((raw) => [...raw.matchAll(/dataset\.(\w+)/g)]);
  const attributes = asked.map(([, name]) => `data-${kebab(name)}`);
  const report = await new PurgeCSS().purge({
    content: [...texts, attributes.join(" ")].map((raw) => ({ raw, extension: "html" })),
    css: sheets,
    rejected: true,
    defaultExtractor: (raw) => raw.match(/[\w-]+/g) ?? [],
    safelist: { standard: [...LIBRARIES, NUMBERED, ...texts.flatMap(composed)] },
  });
  for (const { file, rejected } of report)
    for (const one of rejected) if (!one.trim().startsWith(":")) found.push(`${file}: nothing meets ${one.trim()}`);
}

longLines();
longFiles();
unusedExports();
await unusedRules();
for (const line of found) console.error(line);
process.exitCode = found.length ? 1 : 0;
