// The colours and habits of a file's language in an editor, from the moment they have been fetched.

import { languageOf } from "../../headnode/code_colours.js";
import { Compartment, ViewPlugin } from "../../headnode/vendor/codemirror.js";

const PLAIN = [];

/** The extension for a path: plain text at first, and for good where no language fits or none can be fetched. */
export function language(path) {
  const place = new Compartment();
  const fetching = ViewPlugin.define((view) => {
    let gone = false;
    languageOf(path).then((found) => {
      const waits = !gone && found && place.get(view.state) === PLAIN;
      if (waits) view.dispatch({ effects: place.reconfigure(found.extension) });
    });
    return { destroy: () => (gone = true) };
  });
  return [place.of(PLAIN), fetching];
}
