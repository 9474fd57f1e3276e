// The money table's formulas: they compute as a spreadsheet does, and follow their cells.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cellOf, columnName, moved, rowsMoved } from "/static/assessments/scaling/formula/refs.js";
import { Sheet } from "/static/assessments/scaling/formula/sheet.js";
import { cellsOf, textOf } from "/static/assessments/scaling/money_paste.js";
import { readNumber } from "/static/assessments/scaling/words.js";

const ROWS = 30;
const COLUMNS = 14;

/** What a formula in A1 comes to, beside other cells; the code of an error. */
function value(formula, cells = {}) {
  const all = { A1: formula, ...cells };
  const sheet = new Sheet((column, row) => {
    if (row >= ROWS || column >= COLUMNS) return undefined;
    return all[`${columnName(column)}${row + 1}`] ?? null;
  });
  const { column, row } = cellOf("A1");
  const found = sheet.value(column, row);
  return found?.code ?? found;
}

function near(found, expected, within = 1e-9) {
  assert.equal(typeof found, "number");
  assert.ok(Math.abs(found - expected) <= within * Math.abs(expected), `${found} is not ${expected}`);
}

const COMPUTED = [
  ["=1+2*3^2", 19],
  ["=-2^2", 4], // as spreadsheets do: the sign binds before the power
  ["=2^-1", 0.5],
  ["=10-4-3", 3],
  ["=12%*100", 12],
  ["=(1+2)*3", 9],
  ['="a"&1', "a1"],
  ["=2>1", true],
  ["=1<>1", false],
  ["=ROUND(1.005,2)", 1.01],
  ["=ROUND(-2.5,0)", -3],
  ["=ROUNDUP(2.1,0)", 3],
  ["=ROUNDDOWN(-2.9,0)", -2],
  ["=IF(1>2,1/0,5)", 5],
  ["=IF(0,1)", false],
  ['=IFERROR(1/0,"none")', "none"],
  ["=NOT(AND(1,0))", true],
  ["=sum(1;2;3)", 6],
  ["1,200", 1200],
  ["8 %", 0.08],
  ["words", "words"],
];
for (const [formula, expected] of COMPUTED) {
  test(`${formula} computes as in a spreadsheet`, () => {
    if (typeof expected === "number") near(value(formula), expected);
    else assert.equal(value(formula), expected);
  });
}

const FINANCE = [
  // figures from the documentation of the functions in LibreOffice and from the annuity formula
  ["=NPV(10%,100,100)", 100 / 1.1 + 100 / 1.21],
  ["=PMT(5%/12,60,10000)", -188.7123364401],
  ["=PMT(0,4,100)", -25],
  ["=IRR(B1:B3)", 0.1306623863],
  ["=IRR(C1:C2)", -0.5],
  ["=NPV(IRR(B1:B3),B2:B3)", 100],
];
for (const [formula, expected] of FINANCE) {
  test(`${formula} is right`, () => {
    near(value(formula, { B1: "-100", B2: "60", B3: "60", C1: "-100", C2: "50" }), expected);
  });
}

test("ranges pass over texts and empty cells", () => {
  const cells = { B1: "4", B2: "words", B4: "=B1*2" };
  assert.equal(value("=SUM(B1:B5)", cells), 12);
  assert.equal(value("=AVERAGE(B1:B5)", cells), 6);
  assert.equal(value("=COUNT(B1:B5)", cells), 2);
  assert.equal(value("=MIN(B1:B5)", cells), 4);
  assert.equal(value("=MAX(B5:B1)", cells), 8);
  assert.equal(value("=B3+1", cells), 1);
});

const REFUSED = [
  ["=1/0", "#DIV/0!"],
  ["=1/B9", "#DIV/0!"],
  ["=AVERAGE(B1:B2)", "#DIV/0!"],
  ["=A1", "#CYCLE!"],
  ["=B1", "#CYCLE!", { B1: "=A1" }],
  ["=SUM(A1:A9)", "#CYCLE!"],
  ["=Z1", "#REF!"],
  ["=B99", "#REF!"],
  ["=#REF!+1", "#REF!"],
  ["=C1+1", "#VALUE!"],
  ["=B1:B2", "#VALUE!"],
  ["=NOSUCH(1)", "#NAME?"],
  ["=constructor(1)", "#NAME?"],
  ["=total", "#NAME?"],
  ["=IRR(1,2)", "#NUM!"],
  ["=10^400", "#NUM!"],
  ["=1+", "#ERROR!"],
  ["=(1", "#ERROR!"],
  ["=", "#ERROR!"],
  ["=1 2", "#ERROR!"],
  [`=${"-".repeat(500)}1`, "#ERROR!"],
  [`=${"(".repeat(500)}1`, "#ERROR!"],
];
for (const [formula, code, cells = {}] of REFUSED) {
  test(`${formula.slice(0, 20)} says ${code}`, () => {
    assert.equal(value(formula, { C1: "words", ...cells }), code);
  });
}

test("errors travel to what follows from them", () => {
  assert.equal(value("=SUM(B1:B3)*2", { B2: "=1/0" }), "#DIV/0!");
  assert.equal(value("=B1", { B1: "=C1", C1: "=B1" }), "#CYCLE!");
});

test("filled formulas point to their own neighbours", () => {
  assert.equal(moved("=SUM(B1:$C$2)+B$3", 1, 1), "=SUM(C2:$C$2)+C$3");
  assert.equal(moved("=A1", -1, 0), "=#REF!");
  assert.equal(moved("A1 is a text", 1, 0), "A1 is a text");
  assert.equal(moved('="B1"&B1', 1, 0), '="B1"&C1');
});

test("formulas follow their rows", () => {
  const gone = 1;
  const place = (row) => (row === gone ? null : row > gone ? row - 1 : row);
  assert.equal(rowsMoved("=B1+B2+B3", place), "=B1+#REF!+B2");
});

const BLOCKS = [
  [
    "1\t2\n3\t4\n",
    [
      ["1", "2"],
      ["3", "4"],
    ],
  ],
  ["1\r\n2", [["1"], ["2"]]],
  ['"a\tb"\t"say ""x"""', [["a b", 'say "x"']]],
  ["\t5", [["", "5"]]],
  ["", [[""]]],
];
for (const [text, rows] of BLOCKS) {
  test(`the block ${JSON.stringify(text)} is read`, () => assert.deepEqual(cellsOf(text), rows));
}

test("blocks of cells come back as they went", () => {
  const rows = [
    ["a", 'with "quotes"'],
    ["", "3"],
  ];
  assert.deepEqual(cellsOf(textOf(rows)), rows);
});

const TYPED = [
  ["1,200", 1200],
  ["12 k", 12000],
  ["1.5M", 1.5e6],
  ["−3", -3],
  ["", null],
  [" 7 ", 7],
];
for (const [text, expected] of TYPED) {
  test(`"${text}" is read as people type it`, () => assert.equal(readNumber(text), expected));
}

for (const text of ["abc", "1.2.3", "k", "--1"]) {
  test(`"${text}" is no number`, () => assert.equal(readNumber(text), undefined));
}
