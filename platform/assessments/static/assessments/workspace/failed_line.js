// The line of a program in which its newest run failed; the mark moves with the text and goes once the line is changed.

import { Decoration, EditorView, StateEffect, StateField } from "../../headnode/vendor/codemirror.js";
import { t } from "../../headnode/words.js";

const put = StateEffect.define();

function markOf(state, failure) {
  if (!failure || failure.line > state.doc.lines) return Decoration.none;
  const attributes = { title: failure.text, "aria-description": t`The run failed here. ${failure.text}` };
  const line = Decoration.line({ class: "cm-failed", attributes });
  return Decoration.set([line.range(state.doc.line(failure.line).from)]);
}

function isTouched(marks, transaction) {
  let touched = false;
  marks.between(0, transaction.startState.doc.length, (from) => {
    const { to } = transaction.startState.doc.lineAt(from);
    touched ||= Boolean(transaction.changes.touchesRange(from, to));
  });
  return touched;
}

export const failedLine = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(put)) return markOf(transaction.state, effect.value);
    if (!transaction.docChanged) return marks;
    return isTouched(marks, transaction) ? Decoration.none : marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Set the mark in a view, or take it away with null. failure: {line, text}. */
export function markFailed(view, failure) {
  view.dispatch({ effects: put.of(failure) });
}
