// Where a program is written: the editor, what runs it, and the way to an editor of one's own.

import { Editor } from "./editor.js";
import { setUpOwnEditor } from "./own_editor.js";
import { RunPanel } from "./run_panel.js";

/** Fill the centre; returns the run panel, or null where pseudocode is asked for: the page then has no pane for it. */
export function setUpProgram(data, { answer, queue, show }) {
  let panel = null;
  const editor = new Editor(answer, { run: () => panel?.run(), proposals: data.proposals });
  if (document.getElementById("pane-run"))
    panel = new RunPanel({
      queue,
      urls: data.urls,
      workloads: data.workloads,
      lastRun: data.last_run,
      note: data.run_note,
      show,
      files: () => [...answer.files.keys()],
      failed: (failure) => editor.mark(failure),
      open: (path, line) => (show("code"), editor.goTo(path, line)),
    });
  const { client_limits: limits = {}, urls } = data;
  setUpOwnEditor(editor.tools, { answer, queue, limits, kitUrl: urls.kit });
  return panel;
}
