// How the terminal on a copied cluster is spoken of.

import { t } from "../../headnode/words.js";

const ABOUT = t`A shell on the cluster's login node, with the copied materials under ~/incident: grep, awk, jq, python3
    with pandas, and the cluster's own commands. Time stands still in it, and nothing you do changes anything.`;
const RECORDED = document.body.classList.contains("practice")
  ? t`This is practice: nobody reads what you type here, and it is deleted within hours.`
  : t`Commands and what they print are recorded with their times, for your interviewers.`;
/** How a terminal is spoken of and what may be done with it; a room of another kind says its own. */
export const COPY = {
  about: ABOUT,
  recorded: RECORDED,
  first: t`Start the terminal`,
  next: t`Start another shell`,
  starting: t`The shell is being started. That takes some seconds the first time.`,
  runs: t`The shell runs.`,
  again: t`Restart`,
  pins: true,
  commands: true,
  startsItself: false,
  restart: null,
};
