// What every staff page has: times in the reader's own zone, copy buttons, filters, the current place.

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The reader's own time of an instant; without the date where it is the same as in UTC. */
function ownTime(at) {
  const sameDay = at.getDate() === at.getUTCDate();
  /** @type {Intl.DateTimeFormatOptions} */
  const style = sameDay ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat("en-GB", style).format(at);
}

/** Adds the reader's own time to every <time data-moment>; UTC stays in the text. */
function localTimes() {
  if (!ZONE || ZONE === "UTC") return;
  for (const node of document.querySelectorAll("time[data-moment]")) {
    const local = document.createElement("span");
    local.className = "muted";
    local.textContent = ` (${ownTime(new Date(node.dateTime))} here)`;
    node.title = `Here: ${ZONE}`;
    node.append(local);
  }
}

/** Says under every field for a UTC moment what that is where the reader is. */
function localFields() {
  if (!ZONE || ZONE === "UTC") return;
  for (const input of document.querySelectorAll("input[type=datetime-local]")) {
    const hint = document.createElement("span");
    hint.className = "help";
    const say = () => {
      const at = new Date(`${input.value}Z`);
      hint.textContent = Number.isNaN(at.getTime()) ? "" : `${ownTime(at)} in ${ZONE}`;
    };
    input.addEventListener("input", say);
    input.after(hint);
    say();
  }
}

/** A button with data-copy="id" copies that field; where the browser refuses, it selects the text. */
function copyButtons() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const field = document.getElementById(button.dataset.copy);
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Press Ctrl+C";
      }
    });
  }
}

/** On a narrow screen the list comes first: filters without a choice are folded. */
function foldFilters() {
  if (!matchMedia("(max-width: 900px)").matches) return;
  for (const part of document.querySelectorAll(".filters details")) {
    part.open = !part.querySelector("li:first-child.selected");
  }
}

/** Tables that are cards on a phone: each cell knows its column's word, and all keep their roles. */
function stacks() {
  for (const node of document.querySelectorAll("table.stacks")) {
    const table = /** @type {HTMLTableElement} */ (node);
    const words = [...table.tHead.rows[0].cells].map((cell) => cell.innerText.replace(/[↑↓]/, "").trim());
    table.role = "table";
    for (const part of [table.tHead, ...table.tBodies]) part.role = "rowgroup";
    for (const row of table.rows) {
      row.role = "row";
      for (const cell of row.cells) {
        if (cell.tagName === "TD") {
          cell.role = "cell";
          if (words[cell.cellIndex] && cell.innerText.trim()) cell.dataset.column = words[cell.cellIndex];
        } else cell.role = cell.closest("thead") ? "columnheader" : "rowheader";
      }
    }
  }
}

foldFilters();
stacks();
localTimes();
localFields();
copyButtons();
document.querySelector(".places [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
