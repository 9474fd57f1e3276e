// Cuts a formula into tokens: numbers, texts, cells, ranges' colons, names, signs.

import { t } from "../../../headnode/words.js";

const KINDS = [
  /(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)/, // number
  /"((?:[^"]|"")*)"/, // text
  /(#(?:REF|VALUE|NAME|NUM|CYCLE|ERROR)!|#DIV\/0!|#NAME\?|#N\/A)/, // error
  /(\$?[A-Za-z]{1,2}\$?[0-9]{1,4})(?![A-Za-z0-9_.(])/, // cell
  /([A-Za-z][A-Za-z0-9_.]*)/, // name
  /(<=|>=|<>|[-+*/^%&=<>():,;])/, // sign
];
const NEXT = new RegExp(`\\s*(?:${KINDS.map(({ source }) => source).join("|")})`, "y");

/** A formula that cannot be read; the message says where. */
export class Unreadable extends Error {}

/** Tokens of the text behind the =, each {kind, text, at, end}; kinds: number text error cell name sign. */
export function tokens(text) {
  const found = [];
  NEXT.lastIndex = 0;
  while (NEXT.lastIndex < text.length) {
    const from = NEXT.lastIndex;
    if (!text.slice(from).trim()) break;
    const match = NEXT.exec(text);
    if (!match) throw new Unreadable(t`“${text.slice(from).trim()[0]}” is not understood here.`);
    const [whole, number, quoted, error, cell, name, sign] = match;
    const end = NEXT.lastIndex;
    const at = end - whole.trimStart().length;
    if (number !== undefined) found.push({ kind: "number", text: number, at, end });
    else if (quoted !== undefined) found.push({ kind: "text", text: quoted.replaceAll('""', '"'), at, end });
    else if (error !== undefined) found.push({ kind: "error", text: error, at, end });
    else if (cell !== undefined) found.push({ kind: "cell", text: cell, at, end });
    else if (name !== undefined) found.push({ kind: "name", text: name, at, end });
    else found.push({ kind: "sign", text: sign, at, end });
  }
  return found;
}
