// On the receipt: sends drafts this browser still holds, so that late text is kept aside, not lost.

import { ask, Unreachable } from "../../headnode/api.js";
import { byId, el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { DraftStore } from "./draft_store.js";

async function send(entry, url) {
  const { client, seq, base, resolve, body } = entry;
  try {
    await ask(url, { client, seq, base, resolve, body });
  } catch (error) {
    // 409 is the expected answer: received, kept aside, not part of what is scored.
    if (error instanceof Unreachable || error.status !== 409) throw error;
  }
}

async function sendLeftovers(node) {
  const store = new DraftStore();
  await store.open();
  const entries = await store.all(node.dataset.attempt);
  const say = (kind, text) => node.replaceChildren(el("p", { className: `note ${kind}` }, text));
  if (!entries.length) return;
  try {
    for (const entry of entries) {
      await send(entry, node.dataset.draftsUrl);
      await store.remove(entry.key);
    }
    say(
      "info",
      t`Text that this browser had not been able to send in time has now been received. It is kept aside with
        its time; it is not part of your answer.`,
    );
  } catch {
    say(
      "warn",
      t`This browser still holds text that it could not send. It is safe here. It is sent when you open this
        page again with a connection.`,
    );
  }
}

const node = byId("leftover");
if (node?.dataset.draftsUrl) {
  sendLeftovers(node);
  addEventListener("online", () => sendLeftovers(node));
}
