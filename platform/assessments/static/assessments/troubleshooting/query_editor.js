// The editor of a query: completion of metrics, labels and their values, and the place of a mistake.

import { nonce } from "../../headnode/dom.js";
import {
  autocompletion,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  Decoration,
  defaultKeymap,
  drawSelection,
  EditorState,
  EditorView,
  history,
  historyKeymap,
  keymap,
  StateEffect,
  StateField,
} from "../../headnode/vendor/codemirror.js";
import { AGGREGATIONS, FUNCTIONS, WORDS } from "./query_words.js";

const wrong = /** @type {typeof StateEffect.define<any>} */ (StateEffect.define)();
const mark = Decoration.mark({ class: "cm-wrong" });

const mistakes = StateField.define({
  create: () => Decoration.none,
  update(value, change) {
    for (const effect of change.effects) if (effect.is(wrong)) return effect.value;
    return change.docChanged ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** What stands before the cursor: within a label's quotes, within braces, in a list of labels, or anywhere. */
export function placeIn(before) {
  const open = before.lastIndexOf("{");
  const inside = open > before.lastIndexOf("}") ? before.slice(open + 1) : null;
  const metric = before.slice(0, Math.max(open, 0)).match(/([A-Za-z_:][\w:]*)\s*$/)?.[1] || null;
  if (inside !== null) {
    const value = inside.match(/([A-Za-z_]\w*)\s*(?:=|!=|=~|!~)\s*"([^"]*)$/);
    if (value) return { kind: "value", metric, label: value[1], typed: value[2] };
    const typed = inside.match(/(?:^|,)\s*(\w*)$/);
    return typed ? { kind: "label", metric, typed: typed[1] } : null;
  }
  const list = before.match(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)$/);
  if (list) return { kind: "label", metric: null, typed: list[1].match(/\w*$/)[0] };
  if ((before.match(/"/g) || []).length % 2) return null;
  const typed = before.match(/[A-Za-z_:][\w:]*$/);
  return { kind: "name", metric: null, typed: typed ? typed[0] : "" };
}

/** Offers of a catalogue for a place. */
export function offers(catalogue, place) {
  const found = catalogue.metrics.filter((metric) => !place.metric || metric.name === place.metric);
  if (place.kind === "name") {
    const own = found.map((metric) => ({
      label: metric.name,
      type: "variable",
      detail: metric.kind,
      info: metric.about,
      boost: 2,
    }));
    const call = (name, info) => ({ label: name, type: "function", info, apply: name });
    return [
      ...own,
      ...Object.entries(AGGREGATIONS).map(([name, info]) => call(name, info)),
      ...Object.entries(FUNCTIONS).map(([name, info]) => call(name, info)),
      ...WORDS.map((label) => ({ label, type: "keyword" })),
    ];
  }
  const labels = new Map();
  for (const metric of found) {
    for (const [name, values] of Object.entries(metric.labels)) {
      const known = labels.get(name) || new Set();
      for (const value of values) known.add(value);
      labels.set(name, known);
    }
  }
  if (place.kind === "label") return [...labels.keys()].sort().map((label) => ({ label, type: "property" }));
  return [...(labels.get(place.label) || [])]
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((label) => ({ label, type: "text" }));
}

export class QueryEditor {
  constructor({ text, catalogue, run, label }) {
    const complete = (context) => {
      const before = context.state.sliceDoc(0, context.pos);
      const place = placeIn(before);
      if (!place || (!context.explicit && !place.typed && place.kind === "name")) return null;
      return { from: context.pos - place.typed.length, options: offers(catalogue, place), validFor: /^[^"{},()]*$/ };
    };
    const extensions = [
      EditorView.cspNonce.of(nonce()),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      EditorView.lineWrapping,
      mistakes,
      autocompletion({ override: [complete], icons: false }),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      keymap.of([
        ...completionKeymap,
        { key: "Mod-Enter", run: () => (run(), true) },
        { key: "Enter", run: () => (run(), true) },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
      ]),
    ];
    this.view = new EditorView({ state: EditorState.create({ doc: text, extensions }) });
    this.node = this.view.dom;
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    });
  }

  focus() {
    this.view.focus();
  }

  /** Underline the word at a place and put the cursor there; null takes the line away. */
  wrong(position) {
    const size = this.view.state.doc.length;
    if (position === null || position === undefined || size === 0) {
      this.view.dispatch({ effects: wrong.of(Decoration.none) });
      return;
    }
    const from = Math.min(position, size - 1);
    const word = this.view.state.sliceDoc(from).match(/^(?:[\w:]+|"[^"]*"?|.)/s)?.[0].length || 1;
    this.view.dispatch({
      effects: wrong.of(Decoration.set([mark.range(from, Math.min(size, from + word))])),
      selection: { anchor: Math.min(position, size) },
    });
  }
}
