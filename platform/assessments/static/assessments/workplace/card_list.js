// Cards in a list: as many as there are rows, in their order, and an offer to take back what was deleted.

import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

function focusedIn(list) {
  const node = document.activeElement?.closest?.(".card");
  return node && list.contains(node) ? { node, name: document.activeElement.getAttribute("name") } : null;
}

/**
 * Bring the cards of a list up to the model's rows. cards: id -> {node, refresh(row, at)}; make(id): a new one. The
 * focus stays.
 */
export function placeCards({ list, cards, model }, make) {
  const focus = focusedIn(list);
  for (const [id, card] of cards) {
    if (model.find(id)) continue;
    card.node.remove();
    cards.delete(id);
  }
  model.rows.forEach((row, at) => {
    if (!cards.has(row.id)) cards.set(row.id, make(row.id));
    const card = cards.get(row.id);
    if (list.children[at] !== card.node) list.insertBefore(card.node, list.children[at] || null);
    card.refresh(row, at);
  });
  if (focus && !focus.node.contains(document.activeElement))
    focus.node.querySelector(`[name="${focus.name}"]`)?.focus();
}

/** Offer in `host` to take back the row that was deleted last. words(row) names it; back(row) brings it to the eye. */
export function offerUndo(host, model, words, back) {
  const gone = model.removed;
  if (!gone || model.readOnly) {
    host.replaceChildren();
    return;
  }
  const undo = () => {
    const row = model.undo();
    if (row) back(row);
  };
  host.replaceChildren(
    el("span", {}, t`Deleted: ${words(gone)}. `),
    el("button", { type: "button", onclick: undo }, t`Undo`),
  );
}
