// The terminal's tab on a live cluster: the same screen, on daemons that run, which begins by itself.

import { ask } from "../../headnode/api.js";
import { openDialog } from "../../headnode/dialogs.js";
import { el } from "../../headnode/dom.js";
import { setUp as setUpTerminal } from "../terminal/terminal.js";

/** A new shell where one hangs; the cluster goes on. */
async function newShell(tab, room) {
  const sure = await openDialog({
    title: "A new shell?",
    content: el(
      "p",
      {},
      "The shell and what runs in it end, and another one begins in a moment. The cluster, its jobs and your files " +
        "stay as they are.",
    ),
    buttons: [
      { value: false, label: "Cancel" },
      { value: true, label: "New shell", primary: true },
    ],
  });
  if (!sure) return;
  try {
    await ask(`${room.urls.cluster}/shell`, {});
    tab.say("A new shell is on its way.");
  } catch (error) {
    tab.say(`${error.message} Try again in a moment.`, "bad");
  }
}

/** Fill the tab. */
export function setUp(host, room) {
  return setUpTerminal(host, room, {
    about: "A shell on the controller of your own cluster. What you do here takes effect.",
    recorded: "Commands and what they print are recorded with their times, for your interviewers.",
    first: "Start the cluster",
    next: "Wake the cluster",
    starting: "Your cluster is being started. That takes some seconds.",
    runs: "The cluster runs.",
    again: "New shell",
    pins: false,
    commands: false,
    startsItself: true,
    restart: (tab) => newShell(tab, room),
  });
}
