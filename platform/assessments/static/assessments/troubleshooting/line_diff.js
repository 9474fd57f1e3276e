// What differs between two texts, line by line: the longest common part of them stays.

const MOST_CELLS = 16_000_000;

/** Lengths of the longest common part of a from i and b from j on, as one table. */
function table(a, b) {
  const width = b.length + 1;
  const cells = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const below = (i + 1) * width + j;
      cells[i * width + j] = a[i] === b[j] ? cells[below + 1] + 1 : Math.max(cells[below], cells[i * width + j + 1]);
    }
  }
  return (i, j) => cells[i * width + j];
}

/** Rows {kind: "same" | "gone" | "new", a, b, text} with line numbers from 1, null where there is no such line. */
export function differingLines(before, after) {
  const rows = [];
  let [head, endA, endB] = [0, before.length, after.length];
  while (head < endA && head < endB && before[head] === after[head]) head += 1;
  while (endA > head && endB > head && before[endA - 1] === after[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const same = (i, j) => rows.push({ kind: "same", a: i + 1, b: j + 1, text: after[j] });
  const gone = (i) => rows.push({ kind: "gone", a: i + 1, b: null, text: before[i] });
  const fresh = (j) => rows.push({ kind: "new", a: null, b: j + 1, text: after[j] });
  for (let at = 0; at < head; at += 1) same(at, at);
  middle(before.slice(head, endA), after.slice(head, endB), {
    same: (i, j) => same(i + head, j + head),
    gone: (i) => gone(i + head),
    fresh: (j) => fresh(j + head),
  });
  for (let at = 0; endA + at < before.length; at += 1) same(endA + at, endB + at);
  return rows;
}

function middle(a, b, { same, gone, fresh }) {
  // Texts that differ in thousands of lines are shown as one replaced by the other.
  const left = (a.length + 1) * (b.length + 1) <= MOST_CELLS ? table(a, b) : () => 0;
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) same(i++, j++);
    else if (left(i + 1, j) >= left(i, j + 1)) gone(i++);
    else fresh(j++);
  }
  while (i < a.length) gone(i++);
  while (j < b.length) fresh(j++);
}

/** The same rows in pairs for two columns: a line that went stands beside the one that came in its place. */
export function beside(rows) {
  const pairs = [];
  let [goneLines, newLines] = [[], []];
  const close = () => {
    for (let at = 0; at < Math.max(goneLines.length, newLines.length); at += 1)
      pairs.push([goneLines[at] || null, newLines[at] || null]);
    [goneLines, newLines] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === "gone") goneLines.push(row);
    else if (row.kind === "new") newLines.push(row);
    else {
      close();
      pairs.push([row, row]);
    }
  }
  close();
  return pairs;
}
