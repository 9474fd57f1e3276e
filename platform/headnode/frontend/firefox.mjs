// The main path of a workspace in Debian's own Firefox, driven by WebDriver BiDi: start, type, be saved, run or
// ask, submit. headnode/tests/browser/test_firefox.py runs it by night, for each kind:
//
//     node firefox.mjs FIREFOX KIND LINK [FOLDER]        FOLDER: where pictures go
//
// Ends with 1 where a step fails or the browser complains, and says at which step.

import { mkdirSync } from "node:fs";
import puppeteer from "puppeteer-core";

const [FIREFOX, KIND, LINK, SHOTS] = process.argv.slice(2);
const PATIENCE_MS = 90_000;
const BUILT_MS = 300_000;
const complaints = [];
let step = "the browser's start";

/** The first element in sight that the selector finds and whose words fit. */
async function find(page, selector, words = /(?:)/, timeout = PATIENCE_MS) {
  const handle = await page.waitForFunction(
    (where, source) => {
      const named = (node) => `${node.getAttribute("aria-label") ?? ""} ${node.innerText ?? ""}`.trim();
      const found = [...document.querySelectorAll(where)].find(
        (node) => node.checkVisibility() && !node.disabled && new RegExp(source).test(named(node)),
      );
      found?.scrollIntoView({ block: "center" });
      return found;
    },
    { timeout, polling: 100 },
    selector,
    words.source,
  );
  return handle.asElement();
}

async function press(page, selector, words, timeout) {
  await (await find(page, selector, words, timeout)).click();
}

async function write(page, field, text) {
  await field.click();
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.type(text);
}

async function control(page, key) {
  await page.keyboard.down("Control");
  await page.keyboard.press(key);
  await page.keyboard.up("Control");
}

/** The number of the newest draft, once it is later than the one before. */
async function saved(page, after) {
  const handle = await page.waitForFunction(
    (least) => {
      const number = Number(/Saved.*#(\d+)/.exec(document.getElementById("saved").innerText)?.[1] ?? 0);
      return number > least ? number : null;
    },
    { timeout: PATIENCE_MS, polling: 100 },
    after,
  );
  return handle.jsonValue();
}

/** Wait until the terminal shows it. */
async function printed(page, words) {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector(".xterm-rows")?.innerText.trimEnd()),
    { timeout: PATIENCE_MS, polling: 100 },
    words.source,
  );
}

async function writeProse(page) {
  await write(page, await find(page, "#pane-answer .section textarea"), "Written in another browser.");
}

const tab = (page, name) => press(page, "[role=tab]", new RegExp(`^${name}`));

const KINDS = {
  async automation(page) {
    await write(page, await find(page, ".cm-content"), 'print("hello from here")');
    const number = await saved(page, 0);
    await control(page, "Enter");
    await find(page, "#pane-run", /hello from here/, BUILT_MS);
    await writeProse(page);
    return number;
  },
  async troubleshooting(page) {
    await find(page, ".uplot canvas");
    await tab(page, "Query");
    await write(page, await find(page, ".cm-content"), "count(up)");
    await control(page, "Enter");
    await find(page, "#pane-room table", /\d/);
    await tab(page, "Logs");
    await find(page, "#pane-room", /[\d,]+ lines/);
    await writeProse(page);
    return 0;
  },
  async "live-slurm"(page) {
    await find(page, ".terminal-status", /The cluster runs/, BUILT_MS);
    await printed(page, /\$ *$/);
    await press(page, ".terminal-screen");
    await page.keyboard.type("squeue");
    await page.keyboard.press("Enter");
    await printed(page, /emil/);
    await tab(page, "Check");
    await press(page, "button:not([role=tab])", /^Check$/);
    await find(page, ".check-list li", /waiting jobs would start/, BUILT_MS);
    await tab(page, "Written answer");
    await writeProse(page);
    return 0;
  },
  async cost(page) {
    await find(page, "#pane-room table", /\d/);
    await tab(page, "SQL");
    await write(page, await find(page, ".cm-content"), "SELECT count(*) AS n FROM costs");
    await control(page, "Enter");
    await find(page, "#pane-room [role=tabpanel] table", /\d{2,}/);
    await writeProse(page);
    return 0;
  },
  async "scaling-plan"(page) {
    await find(page, ".diagram-image");
    await press(page, "button", /^The last 90 days$/);
    await find(page, ".plan-chart canvas");
    await tab(page, "Orders");
    await press(page, "button", /^Buy/);
    await find(page, ".bill-row[data-id=p1]");
    const number = await saved(page, 0);
    await tab(page, "What-if");
    await press(page, "button", /^Play this plan/);
    await find(page, "[role=region]", /^Over the year/, BUILT_MS);
    await writeProse(page);
    return number;
  },
};

async function walk(page) {
  step = "the link";
  await page.goto(LINK);
  await (await find(page, "input[type=checkbox]")).click();
  step = "the start";
  await press(page, "button", /^Start:/, BUILT_MS);
  await page.waitForSelector("#submit-open:not([disabled])", { timeout: BUILT_MS });
  step = "the work";
  const number = await KINDS[KIND](page);
  step = "being saved";
  await saved(page, number);
  await picture(page, "work");
  step = "submitting";
  await press(page, "#submit-open");
  await press(page, "dialog button", /^Submit now/);
  await find(page, "h1, h2, p", /Your answer was received/);
  await picture(page, "receipt");
}

/** A terminal that asks while the answer is handed in is told, with 409, that it was. */
function isKnown(answer) {
  return step === "submitting" && answer.status() === 409 && answer.url().endsWith("/terminal/exchange");
}

function look(answer) {
  if (answer.status() >= 400 && !isKnown(answer)) complaints.push(`${answer.status()} for ${answer.url()}`);
}

async function picture(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/firefox-${KIND}-${name}.png` });
}

const browser = await puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, headless: true });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (line) => line.type() === "error" && complaints.push(line.text()));
  page.on("response", look);
  try {
    await walk(page);
  } catch (error) {
    complaints.unshift(`At ${step}: ${error.message}`);
    await picture(page, "failed").catch(() => {});
  }
} finally {
  await browser.close();
}
for (const one of complaints) console.error(one);
process.exitCode = complaints.length ? 1 : 0;
