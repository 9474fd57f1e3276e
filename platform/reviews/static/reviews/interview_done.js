// The record is in, so this browser need not keep anything of the interview any more.

const record = document.querySelector("[data-submitted]");
if (record) {
  try {
    const prefix = `headnode:interview:${record.dataset.submitted}:`;
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
  } catch {
    // Storage is refused, so nothing was kept.
  }
}
