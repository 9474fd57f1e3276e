// Goes through the work on a live cluster: a slider under the chart, the cluster at that moment, the last command.

/** The last of the rows, ordered by `data-x`, that is not after x; null before the first. */
export function lastUpTo(rows, x) {
  let found = null;
  for (const row of rows) {
    if (Number(row.dataset.x) > x) break;
    found = row;
  }
  return found;
}

/** What the page says of a moment: the cluster's counts, and the command before it. */
export function told(look, step) {
  const cells = (row) => [...row.children].map((cell) => cell.textContent.trim());
  const parts = [];
  if (look) {
    const [minute, run, wait, gpus, up] = cells(look);
    parts.push(`Minute ${minute}: ${run} run, ${wait} wait, ${gpus} GPUs in use, ${up} nodes take jobs.`);
  }
  if (step) {
    const [minute, line, , then] = cells(step);
    parts.push(`Last command, minute ${minute}: ${line}${then ? `. Then ${then}.` : ""}`);
  }
  return parts.join(" ") || "Nothing had been seen yet.";
}

function begin(whole) {
  const scrub = whole.querySelector(".live-scrub");
  if (!scrub || whole.dataset.begun) return;
  whole.dataset.begun = "yes";
  const slider = scrub.querySelector("input");
  const now = scrub.querySelector(".live-now");
  const line = whole.querySelector(".live-moment");
  const looks = [...whole.querySelectorAll(".live-look")];
  const steps = [...whole.querySelectorAll(".live-step")];
  const show = () => {
    const x = Number(slider.value);
    const step = lastUpTo(steps, x);
    line.setAttribute("transform", `translate(${x - Number(slider.min)} 0)`);
    now.textContent = told(lastUpTo(looks, x), step);
    slider.setAttribute("aria-valuetext", now.textContent);
    for (const row of steps) row.toggleAttribute("data-now", row === step);
    const frame = step?.closest(".scroll");
    if (frame) frame.scrollTop = step.offsetTop - frame.clientHeight / 2;
  };
  slider.addEventListener("input", show);
  scrub.hidden = false;
  show();
}

if (typeof document !== "undefined") for (const whole of document.querySelectorAll(".live-whole")) begin(whole);
