// On the receipt: says by itself when the questions about the answer are ready.

import { ask } from "../../headnode/api.js";
import { byId } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";

const EVERY_MS = 4000;
const MOST_MS = 30000;
const box = byId("own-work-offer");
let wait = EVERY_MS;

async function look() {
  try {
    const { stage } = await ask(box.dataset.state);
    wait = EVERY_MS;
    if (stage !== "preparing") {
      box.dataset.stage = stage;
      box.querySelector("[data-own-tag]").textContent = stage === "ready" ? t`Ready` : t`See the questions’ page`;
      box.querySelector("a.button").classList.toggle("primary", stage === "ready");
      return;
    }
  } catch {
    wait = Math.min(2 * wait, MOST_MS); // a site that is away is asked less often
  }
  setTimeout(look, wait);
}

if (box) setTimeout(look, wait);
