// The terminal's tab on a live cluster: the same screen, on daemons that run, which begins by itself.

import { ask } from "../../headnode/api.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { t } from "../../headnode/words.js";
import { setUp as setUpTerminal } from "../terminal/terminal.js";

/** A new shell where one hangs; the cluster goes on. */
async function newShell(tab, room) {
  const sure = await openDialog({
    title: t`A new shell?`,
    content: el(
      "p",
      {},
      t`The shell and what runs in it end, and another one begins in a moment. The cluster, its jobs and your files
        stay as they are.`,
    ),
    buttons: [
      { value: false, label: t`Cancel` },
      { value: true, label: t`New shell`, primary: true },
    ],
  });
  if (!sure) return;
  try {
    await ask(`${room.urls.cluster}/shell`, {});
    tab.say(t`A new shell is on its way.`);
  } catch (error) {
    tab.say(t`${error.message} Try again in a moment.`, "bad");
  }
}

/** Fill the tab. */
export function setUp(host, room) {
  return setUpTerminal(host, room, {
    about: t`A shell on the controller of your own cluster. What you do here takes effect.`,
    recorded: t`Commands and what they print are recorded with their times, for your interviewers.`,
    first: t`Start the cluster`,
    next: t`Wake the cluster`,
    starting: t`Your cluster is being started. That takes some seconds.`,
    runs: t`The cluster runs.`,
    again: t`New shell`,
    pins: false,
    commands: false,
    startsItself: true,
    restart: (tab) => newShell(tab, room),
  });
}
