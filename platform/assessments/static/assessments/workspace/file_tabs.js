// The files of the answer as tabs, and making, renaming and deleting one's own.

import { askText, openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { tabs } from "../../headnode/tabs.js";

export class FileTabs {
  constructor(answer, list, tools, show) {
    this.answer = answer;
    this.list = list;
    this.tools = tools;
    this.show = show;
    const button = (label, text, action) =>
      el("button", { type: "button", className: "quiet", "aria-label": label, title: label, onclick: action }, text);
    this.add = button("New file", "+", () => this.#create());
    this.rename = button("Rename this file", "Rename", () => this.#rename());
    this.delete = button("Delete this file", "Delete", () => this.#delete());
    tools.append(this.add, this.rename, this.delete);
    answer.addEventListener("lock", () => this.refresh(this.path));
  }

  refresh(path) {
    this.path = path;
    const items = [...this.answer.files].map(([name, file]) => ({
      key: name,
      label: name,
      panel: "code-body",
      extra: file.readOnly ? el("span", { className: "read-only" }, "read only") : null,
    }));
    const shape = JSON.stringify(items.map((item) => [item.key, item.extra !== null]));
    // Rebuilding takes the focus away from the tab in use, so it happens only when the set changed.
    if (shape !== this.shape) this.row = tabs(this.list, items, this.show, { label: "Files" });
    this.shape = shape;
    this.row.show(path);
    const own = this.answer.files.get(path).own && this.answer.canAddFiles;
    this.add.hidden = !this.answer.canAddFiles;
    this.rename.hidden = this.delete.hidden = !own;
  }

  async #create() {
    const name = await askText({
      title: "New file",
      label: "Name, for example policy.py",
      action: "Create",
      problem: (text) => this.answer.problemWithName(text),
    });
    if (name) this.answer.createFile(name);
  }

  async #rename() {
    const path = this.path;
    const name = await askText({
      title: `Rename ${path}`,
      label: "New name",
      value: path,
      action: "Rename",
      problem: (text) => (text === path ? null : this.answer.problemWithName(text)),
    });
    if (name && name !== path) this.answer.renameFile(path, name);
  }

  async #delete() {
    const path = this.path;
    const sure = await openDialog({
      title: `Delete ${path}?`,
      content: el("p", {}, "The file leaves your answer. Earlier drafts that contain it stay in History."),
      buttons: [
        { value: false, label: "Keep it" },
        { value: true, label: "Delete", primary: true },
      ],
    });
    if (sure) this.answer.deleteFile(path);
  }
}
