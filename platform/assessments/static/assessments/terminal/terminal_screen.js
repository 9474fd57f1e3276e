// The screen: xterm.js under a strict style policy, in the page's colours, and which command printed what.

import { nonce } from "../../headnode/dom.js";
import { FitAddon, Terminal } from "../../headnode/vendor/xterm.js";
import { t } from "../../headnode/words.js";

const SCROLLBACK = 5_000;
const ESCAPE_HOLDS_MS = 1_500;
const MOST_PINNED = 120;
const COLOURS = {
  background: "--surface",
  foreground: "--text",
  cursor: "--accent",
  cursorAccent: "--surface",
  selectionBackground: "--code-selection",
  black: "--text",
  red: "--bad",
  green: "--good",
  yellow: "--warn",
  blue: "--code-name",
  magenta: "--code-keyword",
  cyan: "--info",
  white: "--text-2",
  brightBlack: "--text-2",
  brightRed: "--bad",
  brightGreen: "--good",
  brightYellow: "--warn",
  brightBlue: "--code-name",
  brightMagenta: "--code-keyword",
  brightCyan: "--info",
  brightWhite: "--text",
};

function theme() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    Object.entries(COLOURS).map(([name, token]) => [name, style.getPropertyValue(token).trim()]),
  );
}

/** xterm makes style elements of its own; with the page's nonce the policy lets them in. */
function withNonce(work) {
  const make = document.createElement;
  document.createElement = (name, ...rest) => {
    const node = make.call(document, name, ...rest);
    if (String(name).toLowerCase() === "style") node.setAttribute("nonce", nonce());
    return node;
  };
  try {
    return work();
  } finally {
    delete document.createElement;
  }
}

export class Screen extends EventTarget {
  #prompts = [];
  #escapeAt = 0;
  #quiet = false;

  /** Events: "typed" {text}, "binary" {bytes}, "selection". */
  constructor(host) {
    super();
    this.host = host;
    this.terminal = new Terminal({
      fontFamily: '"IBM Plex Mono", ui-monospace, monospace',
      fontSize: 13,
      lineHeight: 1.2,
      scrollback: SCROLLBACK,
      minimumContrastRatio: 4.5,
      cursorBlink: false,
      theme: theme(),
    });
    this.fit = new FitAddon();
    this.terminal.loadAddon(this.fit);
    this.terminal.attachCustomKeyEventHandler((event) => this.#key(event));
    this.terminal.onData((text) => this.#quiet || this.dispatchEvent(new CustomEvent("typed", { detail: { text } })));
    this.terminal.onSelectionChange(() => this.dispatchEvent(new CustomEvent("selection")));
    this.terminal.parser.registerOscHandler(133, (text) => this.#mark(text));
    document.addEventListener("themechange", () => (this.terminal.options.theme = theme()));
  }

  open() {
    withNonce(() => this.terminal.open(this.host));
    this.terminal.textarea.setAttribute(
      "aria-label",
      t`Terminal. Escape and then Tab leaves it, Shift and Tab goes back.`,
    );
    new ResizeObserver(() => this.resize()).observe(this.host);
    this.resize();
  }

  resize() {
    if (!this.host.clientWidth || !this.host.clientHeight) return;
    const { columns, rows } = this.size;
    this.fit.fit();
    if (columns !== this.size.columns || rows !== this.size.rows) this.dispatchEvent(new CustomEvent("resized"));
  }

  get size() {
    const { cols, rows } = this.terminal;
    return { columns: Math.min(500, Math.max(10, cols)), rows: Math.min(300, Math.max(4, rows)) };
  }

  /** With `again`, what was printed before is shown once more: nothing may answer its questions anew. */
  write(data, { again = false } = {}) {
    if (again) this.#quiet = true;
    this.terminal.write(data, () => again && (this.#quiet = false));
  }

  /** Leave what a shell that has gone may have left on: another screen, hidden cursor, modes of the mouse. */
  settle(sentence) {
    const back = this.terminal.buffer.active.type === "alternate" ? "\x1b[?1049l" : "";
    this.terminal.write(
      `${back}\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?2004l\x1b[!p\x1b[0m\r\n\x1b[2m${sentence}\x1b[0m\r\n`,
    );
  }

  focus() {
    this.terminal.focus();
  }

  set readsAloud(on) {
    this.terminal.options.screenReaderMode = on;
  }

  /** False: the key is not for the shell. Tab is the shell's, but right after Escape it leaves the terminal. */
  #key(event) {
    if (event.type !== "keydown") return true;
    if (event.key === "Tab") {
      const escaped = event.timeStamp - this.#escapeAt < ESCAPE_HOLDS_MS;
      // The shell takes Escape for the first half of a key: give that up, or the next letter is lost.
      if (escaped && this.terminal.buffer.active.type === "normal") this.terminal.input("\x07");
      return !escaped && !event.shiftKey;
    }
    this.#escapeAt = event.key === "Escape" ? event.timeStamp : event.key === "Shift" ? this.#escapeAt : 0;
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "v") return false; // the browser pastes, and xterm hears of it
    if (control && event.key.toLowerCase() === "c" && this.terminal.hasSelection()) {
      setTimeout(() => this.terminal.clearSelection(), 50);
      return false; // the browser copies
    }
    return true;
  }

  /** The shell marks its prompts: A where one begins, with the host, C where a command's output begins. */
  #mark(text) {
    const [kind, host = ""] = text.split(";");
    if (kind === "A") this.#prompts.push({ host, begins: this.terminal.registerMarker(0), output: null });
    const last = this.#prompts.at(-1);
    if (kind === "C" && last) last.output = this.terminal.registerMarker(0);
    if (this.#prompts.length > 400) this.#prompts.shift();
    return true;
  }

  #lines(from, to) {
    const buffer = this.terminal.buffer.active;
    const found = [];
    for (let at = from; at < to; at += 1) {
      const line = buffer.getLine(at);
      if (!line) break;
      const text = line.translateToString(true);
      if (line.isWrapped && found.length) found[found.length - 1] += text;
      else found.push(text);
    }
    return found;
  }

  /**
   * The command whose output contains a line of the screen, or the last one: {host, command, text}; null without one.
   */
  command(at = null) {
    const whole = this.#prompts.filter(
      ({ begins, output }) => begins && !begins.isDisposed && begins.line >= 0 && output,
    );
    const found = at === null ? whole.at(-1) : whole.findLast(({ begins }) => begins.line <= at);
    if (!found) return null;
    const next = this.#prompts[this.#prompts.indexOf(found) + 1];
    const buffer = this.terminal.buffer.active;
    const end = next?.begins ? next.begins.line : buffer.baseY + buffer.cursorY + 1;
    const asked = this.#lines(found.begins.line, found.output.line).join("\n");
    const command = asked.replace(/^\[you@[^\]]*\][$#] /, "");
    return { host: found.host, command, text: shortened(this.#lines(found.output.line, end)) };
  }

  /** What is marked with the mouse, with the command that printed it; else the last command and its output. */
  pinned() {
    const position = this.terminal.getSelectionPosition();
    if (!position) return this.command();
    const from = this.command(position.start.y);
    const text = shortened(this.terminal.getSelection().split("\n"));
    return { host: from?.host || "", command: from?.command || "", text };
  }
}

function shortened(lines) {
  while (lines.length && !lines.at(-1).trim()) lines.pop();
  if (lines.length <= MOST_PINNED) return lines.join("\n");
  const half = MOST_PINNED / 2;
  return [...lines.slice(0, half), t`… ${lines.length - MOST_PINNED} lines left out …`, ...lines.slice(-half)].join(
    "\n",
  );
}
