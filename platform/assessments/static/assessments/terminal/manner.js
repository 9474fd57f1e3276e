// How the terminal on a copied cluster is spoken of.

const ABOUT =
  "A shell on the cluster's login node, with the copied materials under ~/incident: grep, awk, jq, python3 " +
  "with pandas, and the cluster's own commands. Time stands still in it, and nothing you do changes anything.";
const RECORDED = document.body.classList.contains("practice")
  ? "This is practice: nobody reads what you type here, and it is deleted within hours."
  : "Commands and what they print are recorded with their times, for your interviewers.";
/** How a terminal is spoken of and what may be done with it; a room of another kind says its own. */
export const COPY = {
  about: ABOUT,
  recorded: RECORDED,
  first: "Start the terminal",
  next: "Start another shell",
  starting: "The shell is being started. That takes some seconds the first time.",
  runs: "The shell runs.",
  again: "Restart",
  pins: true,
  commands: true,
  startsItself: false,
  restart: null,
};
