// A table of buttons as one stop for the Tab key: the arrows move from figure to figure.

/** Keys of the table; `rows` are its lines of buttons. */
export function rove(table, rows) {
  let at = [0, 0];
  const button = () => rows[at[0]][at[1]];
  for (const row of rows) for (const one of row) one.tabIndex = -1;
  if (rows.length) button().tabIndex = 0;

  function go(row, column) {
    button().tabIndex = -1;
    at = [Math.max(0, Math.min(rows.length - 1, row)), Math.max(0, Math.min(rows[0].length - 1, column))];
    button().tabIndex = 0;
    button().focus();
    button().scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  table.addEventListener("focusin", ({ target }) => {
    const row = rows.findIndex((one) => one.includes(target));
    if (row < 0 || target === button()) return;
    button().tabIndex = -1;
    at = [row, rows[row].indexOf(target)];
    button().tabIndex = 0;
  });
  table.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !rows.length) return;
    const [row, column] = at;
    const to = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, rows[0].length - 1],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    go(...to);
  });
}
