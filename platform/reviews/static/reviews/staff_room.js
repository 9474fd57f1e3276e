// The candidate's room on a staff page: the same parts without terminal and board; what is pinned
// becomes a remark of whoever scores.

import { setUpRoom } from "../assessments/workplace/room.js";
import { MaterialPins } from "./material_pins.js";

// What the candidate writes in or runs is theirs; staff look at what was there to be looked at.
const WITHOUT = { troubleshooting: ["terminal"], cost: [], scaling: ["orders", "timeline", "money", "risks", "whatif"] };
const TABS = { log: "logs", config: "configs" };

/** What an address of the key or of a remark names: #at?path&line, or #chart?metric&labels&from_ms&to_ms. */
function asked() {
  const [what, rest] = location.hash.slice(1).split("?");
  return rest && ["at", "chart"].includes(what) ? { what, place: Object.fromEntries(new URLSearchParams(rest)) } : null;
}

/** Bring that place to the front, once the list of materials is known. */
function follow(room) {
  const found = asked();
  if (!found) return;
  const { what, place } = found;
  if (what === "chart" && !room.window) return;
  if (what === "at") {
    const kind = room.manifest.files.find(({ path }) => path === place.path)?.kind;
    room.show(TABS[kind] || "files", { path: place.path, line: Number(place.line) || 1 });
    return;
  }
  const [from, to] = [Number(place.from_ms), Number(place.to_ms)];
  room.setRange(from, to, "link");
  room.show("dashboards", {
    kind: "chart",
    metric: place.metric,
    labels: JSON.parse(place.labels || "{}"),
    from_ms: from,
    to_ms: to,
  });
}

const data = JSON.parse(document.getElementById("room-data").textContent);
const pins = new MaterialPins();
const room = setUpRoom({
  base: data.base,
  attempt: data.attempt,
  board: pins,
  showPane: () => {},
  workplace: data.workplace,
  without: WITHOUT[data.workplace],
});
// The room chooses a tab by itself when it is ready; what the address asks for comes after that.
pins.addEventListener("ready", () => queueMicrotask(() => follow(room)));
addEventListener("hashchange", () => room.manifest && follow(room));
