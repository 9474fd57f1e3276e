// Files that are read or looked at as a whole: prose, pictures, and files for programs.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { prose } from "../workspace/documents.js";

export class ProseView {
  constructor() {
    this.node = el("div", { className: "prose-view", tabindex: "0", role: "region", "aria-label": t`Text` });
  }

  /** html: as the server rendered it. */
  show({ title }, html) {
    this.node.setAttribute("aria-label", title);
    this.node.replaceChildren(prose(html));
    this.node.scrollTop = 0;
  }
}

export class PictureView {
  constructor(room) {
    this.room = room;
    this.node = el("div", { className: "prose-view", tabindex: "0", role: "region", "aria-label": t`Picture` });
  }

  show({ path, title, kind }) {
    const picture = () => el("img", { src: this.room.fileUrl(path), alt: title });
    const words = () =>
      el(
        "p",
        { className: "empty" },
        t`A file for programs, with the same rows as the CSV of its name. Download it to work on it elsewhere.`,
      );
    this.node.setAttribute("aria-label", title);
    this.node.replaceChildren(kind === "svg" ? picture() : words());
  }
}
