// Leaving a computer that others use: says what was never sent, then forgets all that this browser holds of the work.

import { byId, el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { DraftStore } from "./draft_store.js";

const ROOM = "headnode-room"; // where the room's worker keeps its logs

function forget(database) {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(database);
    request.onsuccess = request.onerror = request.onblocked = resolve;
  });
}

const form = byId("leave");
const store = new DraftStore();
await store.open();
const unsent = await store.everything();
if (unsent.length) {
  byId("unsent").replaceChildren(
    el(
      "p",
      { className: "note warn", role: "alert" },
      t`This browser holds text of yours that it has not been able to send. Go back to your work with a
        connection, and it is sent by itself. If you leave now, that text is gone.`,
    ),
  );
  form.querySelector("button").textContent = t`Leave, and lose what was not sent`;
}
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  for (const entry of unsent) await store.remove(entry.key);
  await forget(ROOM);
  form.submit();
});
