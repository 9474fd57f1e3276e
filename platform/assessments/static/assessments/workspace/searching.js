// Search in the editor, from the moment somebody has begun to use it: nothing of it can be seen before.

import { Compartment, keymap, Prec, ViewPlugin } from "../../headnode/vendor/codemirror.js";

const NOTHING = [];
let fetched = null;

/** What search needs; a failed fetch is tried again when the editor is entered next. */
function parts() {
  fetched ??= import("../../headnode/vendor/codemirror_search.js").then(
    ({ highlightSelectionMatches, search, searchKeymap }) => [
      search({ top: true }),
      highlightSelectionMatches(),
      Prec.low(keymap.of(searchKeymap)),
    ],
    () => (fetched = null),
  );
  return fetched;
}

/** The extension of one file's editor. */
export function searching() {
  const place = new Compartment();
  const fetching = ViewPlugin.define((view) => {
    let gone = false;
    const add = async () => {
      const found = await parts();
      if (!gone && found && place.get(view.state) === NOTHING) view.dispatch({ effects: place.reconfigure(found) });
    };
    view.contentDOM.addEventListener("focus", add);
    if (view.hasFocus) add();
    return {
      destroy() {
        gone = true;
        view.contentDOM.removeEventListener("focus", add);
      },
    };
  });
  return [place.of(NOTHING), fetching];
}
