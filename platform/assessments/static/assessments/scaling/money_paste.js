// Blocks of cells as spreadsheets exchange them: tabs between cells, quotes around cells with tabs or breaks.

/** Rows of texts from tab-separated text. */
export function cellsOf(text) {
  const rows = [[]];
  const part = /("(?:[^"]|"")*"|[^\t\r\n]*)(\t|\r\n|\n|\r|$)/y;
  part.lastIndex = 0;
  const whole = text.replace(/(\r\n|\n|\r)$/, "");
  for (;;) {
    const match = part.exec(whole);
    if (!match) break;
    const [, cell, end] = match;
    rows.at(-1).push(
      cell.startsWith('"') && cell.length > 1
        ? cell
            .slice(1, -1)
            .replaceAll('""', '"')
            .replaceAll(/[\r\n\t]+/g, " ")
        : cell.trim(),
    );
    if (!end) break;
    if (end !== "\t") rows.push([]);
  }
  return rows;
}

/** Tab-separated text of rows of texts. */
export function textOf(rows) {
  return rows
    .map((row) => row.map((cell) => (/[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join("\t"))
    .join("\n");
}
