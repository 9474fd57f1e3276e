// How a card changes its place among its neighbours: by a button, by a key, dragged by its handle.

import { announce } from "../../headnode/announce.js";
import { t } from "../../headnode/words.js";

/** Move a card {id, model, up, down} by so many places, and keep the focus on a button that can be pressed. */
export function moveCard({ id, model, up, down }, by) {
  if (!model.move(id, by)) return;
  const at = model.rows.findIndex((row) => row.id === id);
  announce(t`Priority ${at + 1} of ${model.rows.length}.`);
  // The button of a card that has reached the end is off; its opposite takes the focus.
  const [same, other] = by < 0 ? [up, down] : [down, up];
  (same.disabled ? other : same).focus();
}

/** Alt with an arrow moves a card from within; the focus stays in its field. */
export function moveByKey(card, event) {
  if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key) || event.target.matches("select")) return;
  event.preventDefault();
  const name = event.target.getAttribute("name");
  moveCard(card, event.key === "ArrowUp" ? -1 : 1);
  if (name) card.focus(name);
}

/** Let a card {id, node, handle, model} be dragged while may() says so; model.move(id, by) moves it by places. */
export function draggable({ id, node, handle, model }, may) {
  handle.addEventListener("pointerdown", (event) => {
    if (!may()) return;
    event.preventDefault();
    node.classList.add("dragging");
    handle.setPointerCapture(event.pointerId);
    const move = ({ clientY }) => {
      const cards = [...node.parentNode.children];
      const at = cards.indexOf(node);
      const middle = (card) => card.getBoundingClientRect().top + Math.min(60, card.offsetHeight / 2);
      if (at > 0 && clientY < middle(cards[at - 1])) model.move(id, -1);
      else if (at < cards.length - 1 && clientY > middle(cards[at + 1])) model.move(id, 1);
    };
    const stop = () => {
      node.classList.remove("dragging");
      handle.removeEventListener("pointermove", move);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("lostpointercapture", stop, { once: true });
  });
}
