// The code pane: one editor with a state per file, or a plain text box; both write to one answer.

import { byId, el, nonce, preference } from "../../headnode/dom.js";
import { restOfTabs } from "../../headnode/tabs_rest.js";
import {
  bracketMatching,
  classHighlighter,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  EditorState,
  EditorView,
  foldGutter,
  foldKeymap,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  history,
  historyKeymap,
  indentOnInput,
  indentUnit,
  indentWithTab,
  keymap,
  lineNumbers,
  syntaxHighlighting,
} from "../../headnode/vendor/codemirror.js";
import { t } from "../../headnode/words.js";
import { completion } from "./completion.js";
import { failedLine, markFailed } from "./failed_line.js";
import { FileTabs } from "./file_tabs.js";
import { language } from "./language.js";
import { fillButton } from "./panes.js";
import { searching } from "./searching.js";

const COMMON = [
  EditorView.cspNonce.of(nonce()),
  lineNumbers(),
  foldGutter(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  indentUnit.of("    "),
  EditorState.tabSize.of(4),
  syntaxHighlighting(classHighlighter),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
];

/** The code pane. run() is called for Ctrl+Enter; proposals are what it completes besides the language's own. */
export class Editor {
  #states = new Map();
  #quiet = false;

  #failure = null;

  constructor(answer, { run, proposals = [] }) {
    this.answer = answer;
    this.run = run;
    this.completion = completion(proposals);
    this.path = answer.focus && answer.files.has(answer.focus) ? answer.focus : answer.files.keys().next().value;
    this.plain = preference("plain-editor") === "yes";
    this.#build();
    this.tabs = new FileTabs(answer, this.list, this.tools, (path) => this.show(path));
    this.view = new EditorView({ state: this.#state(this.path), parent: this.host });
    answer.addEventListener("files", (event) => this.#filesChanged(event.detail));
    answer.addEventListener("replace", () => this.#restart());
    answer.addEventListener("lock", () => this.#restart({ keep: true }));
    this.show(this.path);
  }

  focus() {
    if (this.plain) this.box.focus();
    else this.view.focus();
  }

  /** Mark the line in which the newest run failed, {path, line, text}; null takes the mark away. */
  mark(failure) {
    this.#failure = failure;
    markFailed(this.view, failure?.path === this.path ? failure : null);
  }

  goTo(path, line) {
    this.show(path);
    const { doc } = this.view.state;
    const at = doc.line(Math.max(1, Math.min(line, doc.lines))).from;
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    if (this.plain) this.box.setSelectionRange(at, at);
    this.focus();
  }

  show(path) {
    if (path !== this.path) this.#states.set(this.path, this.view.state);
    this.path = path;
    this.#quiet = true;
    this.view.setState(this.#state(path));
    this.#quiet = false;
    this.mark(this.#failure);
    this.tabs.refresh(path);
    this.#showMode();
  }

  #build() {
    this.list = el("div", { className: "tab-list files" });
    this.tools = el("div", { className: "file-tools" });
    this.host = el("div", { className: "editor-host" });
    this.box = el("textarea", {
      className: "plain-editor",
      spellcheck: false,
      autocapitalize: "off",
      wrap: "off",
      oninput: () => this.answer.setFile(this.path, this.box.value),
      onkeydown: (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#runNow(event);
      },
    });
    this.mode = el("input", {
      type: "checkbox",
      checked: this.plain,
      onchange: () => this.#setPlain(this.mode.checked),
    });
    this.hint = el("span", { className: "hint" });
    byId("pane-code").append(
      el(
        "div",
        { className: "pane-head" },
        this.list,
        restOfTabs(this.list, t`All files`),
        this.tools,
        fillButton("code"),
      ),
      el("div", { className: "pane-body editor", id: "code-body", role: "tabpanel" }, this.host, this.box),
      el(
        "div",
        { className: "pane-foot" },
        this.hint,
        el("label", { className: "check" }, this.mode, t`Plain text box`),
      ),
    );
  }

  #runNow(event) {
    event.preventDefault();
    this.run();
  }

  #setPlain(plain) {
    this.plain = plain;
    preference("plain-editor", plain ? "yes" : "no");
    this.#restart();
    this.focus();
  }

  #showMode() {
    const readOnly = this.answer.isReadOnly(this.path);
    this.host.hidden = this.plain;
    this.box.hidden = !this.plain;
    this.box.value = this.answer.files.get(this.path).text;
    this.box.readOnly = readOnly;
    this.box.setAttribute("aria-label", readOnly ? t`${this.path}, read only` : this.path);
    byId("code-body").setAttribute("aria-label", this.path);
    this.hint.replaceChildren(
      ...(this.plain
        ? [t`Tab moves on to the next control`]
        : [el("kbd", {}, "Esc"), t` then `, el("kbd", {}, "Tab"), t` leaves the editor`]),
      " · ",
      el("kbd", {}, t`Ctrl`),
      "+",
      el("kbd", {}, "Enter"),
      t` runs, `,
      el("kbd", {}, t`Ctrl`),
      "+",
      el("kbd", {}, "."),
      t` stops`,
    );
  }

  #state(path) {
    if (!this.#states.has(path)) this.#states.set(path, this.#fresh(path));
    return this.#states.get(path);
  }

  #fresh(path) {
    const readOnly = this.answer.isReadOnly(path);
    return EditorState.create({
      doc: this.answer.files.get(path).text,
      extensions: [
        COMMON,
        language(path),
        searching(),
        path.endsWith(".py") ? this.completion : [],
        failedLine,
        readOnly ? EditorState.readOnly.of(true) : [],
        EditorView.contentAttributes.of({ "aria-label": readOnly ? t`${path}, read only` : path, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !this.#quiet) this.answer.setFile(path, update.state.doc.toString());
        }),
        keymap.of([
          { key: "Mod-Enter", run: () => (this.run(), true) },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...foldKeymap,
          indentWithTab,
        ]),
      ],
    });
  }

  #filesChanged({ show, from, gone }) {
    if (from || gone) this.#states.delete(from || gone);
    if (!this.answer.files.has(this.path)) this.path = show;
    this.show(show);
    this.focus();
  }

  /** The text changed from outside, so each file starts anew; with keep, the selection stays. */
  #restart({ keep = false } = {}) {
    const selection = this.view.state.selection;
    this.#states.clear();
    if (!this.answer.files.has(this.path)) this.path = this.answer.files.keys().next().value;
    this.show(this.path);
    if (keep && selection.main.to <= this.view.state.doc.length) this.view.dispatch({ selection });
  }
}
