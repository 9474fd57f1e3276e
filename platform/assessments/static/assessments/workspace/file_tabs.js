// The files of the answer as tabs, and making, renaming and deleting one's own.

import { askText, openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { tabs } from "../../headnode/tabs.js";
import { t } from "../../headnode/words.js";

export class FileTabs {
  constructor(answer, list, tools, show) {
    this.answer = answer;
    this.list = list;
    this.tools = tools;
    this.show = show;
    const button = (label, text, action) =>
      el("button", { type: "button", className: "quiet", "aria-label": label, title: label, onclick: action }, text);
    this.add = button(t`New file`, "+", () => this.#create());
    this.rename = button(t`Rename this file`, t`Rename`, () => this.#rename());
    this.delete = button(t`Delete this file`, t`Delete`, () => this.#delete());
    tools.append(this.add, this.rename, this.delete);
    answer.addEventListener("lock", () => this.refresh(this.path));
  }

  refresh(path) {
    this.path = path;
    const items = [...this.answer.files].map(([name, file]) => ({
      key: name,
      label: name,
      panel: "code-body",
      extra: file.readOnly ? el("span", { className: "read-only" }, t`read only`) : null,
    }));
    const shape = JSON.stringify(items.map((item) => [item.key, item.extra !== null]));
    // Rebuilding takes the focus away from the tab in use, so it happens only when the set changed.
    if (shape !== this.shape) this.row = tabs(this.list, items, this.show, { label: t`Files` });
    this.shape = shape;
    this.row.show(path);
    const own = this.answer.files.get(path).own && this.answer.canAddFiles;
    this.add.hidden = !this.answer.canAddFiles;
    this.rename.hidden = this.delete.hidden = !own;
  }

  async #create() {
    const name = await askText({
      title: t`New file`,
      label: t`Name, for example policy.py`,
      action: t`Create`,
      problem: (text) => this.answer.problemWithName(text),
    });
    if (name) this.answer.createFile(name);
  }

  async #rename() {
    const path = this.path;
    const name = await askText({
      title: t`Rename ${path}`,
      label: t`New name`,
      value: path,
      action: t`Rename`,
      problem: (text) => (text === path ? null : this.answer.problemWithName(text)),
    });
    if (name && name !== path) this.answer.renameFile(path, name);
  }

  async #delete() {
    const path = this.path;
    const sure = await openDialog({
      title: t`Delete ${path}?`,
      content: el("p", {}, t`The file leaves your answer. Earlier drafts that contain it stay in History.`),
      buttons: [
        { value: false, label: t`Keep it` },
        { value: true, label: t`Delete`, primary: true },
      ],
    });
    if (sure) this.answer.deleteFile(path);
  }
}
