// The terminal's tab: a shell on the copied cluster, its state in words, pins, and the list of commands.

import { ask } from "../../headnode/api.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el, preference, uuid } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { COPY } from "./manner.js";
import { Line } from "./terminal_line.js";
import { Screen } from "./terminal_screen.js";

const LOST = t`Not connected. What you type is kept and sent once the connection is back.`;
const KEYS = [
  ["Esc", "\x1b", "Escape"],
  ["Tab", "\t", "Tab"],
  ["^C", "\x03", t`Control and C: stop the command`],
  ["↑", "\x1b[A", t`Up: the line before`],
  ["↓", "\x1b[B", t`Down: the next line`],
];

function styles(...names) {
  return Promise.all(
    names.map((name) => {
      const href = new URL(name, import.meta.url).href;
      if (document.querySelector(`link[href="${href}"]`)) return null;
      return new Promise((resolve) =>
        document.head.append(el("link", { rel: "stylesheet", href, onload: resolve, onerror: resolve })),
      );
    }),
  );
}

class Tab {
  #greeted = false;
  #again = false;
  #wanted = null;

  constructor(host, room, manner) {
    this.host = host;
    this.room = room;
    this.manner = manner;
    this.screenNode = el("div", { className: "terminal-screen" });
    this.screen = new Screen(this.screenNode);
    this.line = new Line(room.urls.terminal, () => this.screen.size);
    this.#build();
    this.#connect();
  }

  #build() {
    const id = uuid();
    this.status = el("p", { className: "terminal-status", role: "status" }, t`Asking whether there is a terminal…`);
    this.startButton = el(
      "button",
      { type: "button", className: "primary", hidden: true, onclick: () => this.start() },
      this.manner.first,
    );
    this.restartButton = el(
      "button",
      { type: "button", className: "quiet", hidden: true, onclick: () => this.restart() },
      this.manner.again,
    );
    this.pinButton = el(
      "button",
      {
        type: "button",
        className: "quiet",
        hidden: true,
        title: t`The text you marked, or the last command with its output`,
        onclick: () => this.pin(),
      },
      t`Pin this output`,
    );
    this.readButton = el(
      "button",
      {
        type: "button",
        className: "quiet",
        title: t`For screen readers: announce what is printed`,
        onclick: () => this.#aloud(!this.aloud),
      },
      t`Read aloud`,
    );
    this.helpButton = el(
      "button",
      {
        type: "button",
        className: "quiet",
        "aria-expanded": "false",
        "aria-controls": `help-${id}`,
        onclick: () => this.#help(),
      },
      this.manner.commands ? t`Commands and keys` : t`Keys`,
    );
    this.help = el("div", {
      className: "terminal-help",
      id: `help-${id}`,
      hidden: true,
      role: "region",
      "aria-label": t`Commands and keys`,
      tabIndex: 0,
    });
    this.keys = el(
      "div",
      { className: "terminal-keys", role: "group", "aria-label": t`Keys that a small keyboard lacks` },
      KEYS.map(([label, sent, title]) =>
        el("button", { type: "button", title, "aria-label": title, onclick: () => this.#press(sent) }, label),
      ),
    );
    this.empty = el(
      "div",
      { className: "terminal-empty" },
      el("p", { className: "empty" }, this.manner.about),
      el("p", { className: "empty" }, this.manner.recorded),
    );
    const note = el(
      "p",
      { className: "terminal-note" },
      t`${this.manner.recorded} Tab is the shell's: `,
      el("kbd", {}, "Esc"),
      t` then `,
      el("kbd", {}, "Tab"),
      t` leaves the terminal.`,
    );
    this.work = el("div", { className: "terminal-work", hidden: true }, this.screenNode, this.keys, note);
    const bar = el(
      "div",
      { className: "terminal-bar" },
      this.status,
      this.startButton,
      this.pinButton,
      this.restartButton,
      this.readButton,
      this.helpButton,
    );
    this.host.classList.add("terminal-part");
    this.host.append(bar, this.help, this.empty, this.work);
    this.#aloud(preference("terminal-aloud") === "yes", false);
  }

  #connect() {
    const { line, screen } = this;
    screen.addEventListener("typed", ({ detail }) => line.isOpen && line.type(detail.text));
    screen.addEventListener("resized", () => line.isOpen && line.wake());
    screen.addEventListener("selection", () => this.#pinLabel());
    line.addEventListener("data", ({ detail }) => this.#print(detail));
    line.addEventListener("state", ({ detail }) => this.#state(detail));
    line.addEventListener("connection", ({ detail }) => this.#connection(detail));
  }

  async begin() {
    try {
      const found = await this.line.find();
      this.#again = found.state === "live";
      this.#state(found);
      if (found.state === "ended") this.#recall();
      if (found.state === "none" && this.manner.startsItself) await this.start();
    } catch (error) {
      this.#say(error.message, "bad");
      this.startButton.hidden = false;
    }
  }

  /** What the last shell had printed, as far as it is kept. */
  #recall() {
    this.#again = true;
    this.line.wake();
  }

  async start() {
    this.startButton.disabled = true;
    this.#say(this.manner.starting);
    try {
      this.#again = false;
      if (this.#greeted) this.screen.settle(t`A new shell.`);
      this.#greeted = false;
      await this.line.start();
      this.#show();
      this.screen.focus();
    } catch (error) {
      this.#say(t`${error.message} Try again in a moment.`, "bad");
      this.startButton.hidden = false;
    } finally {
      this.startButton.disabled = false;
    }
  }

  async restart() {
    if (this.manner.restart) {
      this.manner.restart(this);
      return;
    }
    const sure = await openDialog({
      title: t`Restart the terminal?`,
      content: el(
        "p",
        {},
        t`The shell and what runs in it end, and files you made in it are gone. What it printed stays on the
          screen, and your answer is not touched.`,
      ),
      buttons: [
        { value: false, label: t`Cancel` },
        { value: true, label: t`Restart`, primary: true },
      ],
    });
    if (sure) this.start();
  }

  #show() {
    if (!this.work.hidden) return;
    this.work.hidden = false;
    this.empty.hidden = true;
    this.screen.open();
  }

  #print({ bytes, skipped }) {
    this.#show();
    if (skipped) this.screen.write(`\r\n${t`… earlier output is no longer kept …`}\r\n`);
    this.screen.write(bytes, { again: this.#again });
    this.#again = this.#again && bytes.length > 200_000;
    this.#pinLabel();
    if (this.#wanted && this.line.state === "live") this.#offer();
  }

  #state({ state, ending, sentence }) {
    const open = state === "waiting" || state === "live";
    this.startButton.hidden = open;
    this.restartButton.hidden = !open;
    this.startButton.textContent = state === "none" ? this.manner.first : this.manner.next;
    if (ending === "over") this.startButton.hidden = true;
    if (state === "none") this.#say(t`Not started.`);
    if (state === "waiting") this.#say(sentence || this.manner.starting);
    if (state === "live") this.#live();
    if (state === "ended") {
      this.#say(sentence, ending === "over" || ending === "left" || ending === "replaced" ? "" : "warn");
      if (this.#greeted) this.screen.settle(t`The shell has ended.`);
      this.#greeted = false;
      if (ending === "lost" && this.manner.startsItself) this.start();
    }
  }

  #live() {
    this.#greeted = true;
    this.#show();
    this.#say(this.manner.runs, "good");
  }

  #connection({ ok, sentence }) {
    if (ok) this.#state(this.line);
    else this.#say(sentence || LOST, "warn");
  }

  /** What the line above the screen says. */
  say(text, kind = "") {
    this.#say(text, kind);
  }

  #say(text, kind = "") {
    if (this.status.textContent === text) return;
    this.status.textContent = text;
    this.status.dataset.kind = kind;
  }

  #press(sent) {
    this.line.type(sent);
    this.screen.focus();
  }

  #pinLabel() {
    this.pinButton.hidden = this.work.hidden || !this.manner.pins;
    const marked = this.screen.terminal.hasSelection();
    this.pinButton.textContent = marked ? t`Pin what is marked` : t`Pin this output`;
  }

  pin() {
    const found = this.screen.pinned();
    if (!found) {
      this.room.announce(t`There is no output to pin yet.`);
      this.#say(t`There is no output to pin yet: run a command first.`);
      return;
    }
    this.room.pin({
      kind: "command",
      command: found.command,
      host: found.host,
      at_ms: this.room.incident.now_ms,
      text: found.text,
    });
  }

  #aloud(on, keep = true) {
    this.aloud = on;
    this.screen.readsAloud = on;
    this.readButton.setAttribute("aria-pressed", String(on));
    if (keep) preference("terminal-aloud", on ? "yes" : "no");
  }

  async #help() {
    const opens = this.help.hidden;
    this.help.hidden = !opens;
    this.helpButton.setAttribute("aria-expanded", String(opens));
    if (!opens || this.help.childElementCount) return;
    if (!this.manner.commands) {
      this.help.append(...keysHelp());
      return;
    }
    this.help.append(el("p", { className: "muted" }, t`The list is being fetched…`));
    try {
      const { commands } = await ask(`${this.room.urls.terminal}/help`);
      this.help.replaceChildren(
        ...keysHelp(),
        el("h3", {}, t`The cluster's commands`),
        el(
          "dl",
          {},
          commands.flatMap(({ name, about }) => [el("dt", {}, el("code", {}, name)), el("dd", {}, about)]),
        ),
      );
    } catch (error) {
      this.help.replaceChildren(
        ...keysHelp(),
        el("p", {}, t`The list of commands could not be fetched: ${error.message} Type about in the terminal.`),
      );
    }
  }

  /** Somebody came from a pin: put its command at the prompt, to be run or not. */
  show(detail) {
    if (!detail?.command) return;
    this.#wanted = detail;
    if (this.line.state === "live" && this.screen.command() !== null) this.#offer();
    else if (this.line.isOpen) return;
    else this.#say(t`Start the terminal to run that command again.`);
  }

  #offer() {
    const { command, host } = this.#wanted;
    const last = this.screen.command()?.host || host;
    this.#wanted = null;
    const text = command.split("\n")[0];
    this.line.type(!host || host === last ? text : `ssh ${host} '${text.replaceAll("'", "'\\''")}'`);
    this.screen.focus();
  }

  shown() {
    requestAnimationFrame(() => this.screen.resize());
    this.line.lookedAt = true;
    if (this.line.isOpen) this.line.wake();
  }
}

function keysHelp() {
  const rows = [
    [
      t`Esc, then Tab`,
      t`leave the terminal forwards; Shift+Tab leaves it backwards. Tab alone completes names, as in any shell.`,
    ],
    [t`Ctrl+C`, t`stop what runs; with text marked, copy it.`],
    [t`Ctrl+V`, t`paste.`],
    [t`Ctrl+R, ↑`, t`search in what you have run, go back to it.`],
    [t`Ctrl+L`, t`clear the screen.`],
  ];
  return [
    el("h3", {}, t`Keys`),
    el(
      "dl",
      {},
      rows.flatMap(([keys, text]) => [el("dt", {}, el("kbd", {}, keys)), el("dd", {}, text)]),
    ),
  ];
}

/** Fill the tab; manner: what differs from a terminal on a copied cluster, as COPY says it. */
export async function setUp(host, room, manner = {}) {
  await Promise.all([
    styles("../../headnode/vendor/xterm.css", "terminal.css"),
    document.fonts?.load?.('13px "IBM Plex Mono"').catch(() => null),
  ]);
  const tab = new Tab(host, room, { ...COPY, ...manner });
  const watcher = new IntersectionObserver(([entry]) => {
    tab.line.lookedAt = entry.isIntersecting;
  });
  watcher.observe(host);
  tab.begin();
  return { shown: () => tab.shown(), show: (detail) => tab.show(detail) };
}
