// Colours and signs on a canvas, as the tokens of the page have them now.

/** A custom property of the page. */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function seriesColour(at) {
  return token(`--series-${(at % 8) + 1}`);
}

/** Black or white, whichever is read better on a colour written #rrggbb. */
export function inkOn(colour) {
  const [r, g, b] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000000" : "#ffffff";
}

/** A canvas of a size in CSS pixels, sharp on this screen; returns its context, cleared. */
export function fitted(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    [canvas.width, canvas.height] = [w, h];
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

const SIGNS = {
  fault: (c, x, y) =>
    polygon(c, [
      [x - 4, y - 4],
      [x + 4, y - 4],
      [x, y + 4],
    ]),
  spot: (c, x, y) =>
    polygon(c, [
      [x, y - 5],
      [x + 4, y],
      [x, y + 5],
      [x - 4, y],
    ]),
  rule: (c, x, y) =>
    strokes(c, [
      [x - 3, y - 3, x + 3, y + 3],
      [x - 3, y + 3, x + 3, y - 3],
    ]),
  alert: (c, x, y) => disc(c, x, y),
  action: (c, x, y) => strokes(c, [[x, y - 5, x, y + 5]]),
  log: (c, x, y) => strokes(c, [[x, y - 2, x, y + 2]]),
};
const TONES = { fault: "--bad", spot: "--warn", rule: "--bad", alert: "--info", action: "--accent", log: "--text-2" };

function polygon(c, points) {
  c.beginPath();
  points.forEach(([x, y], at) => (at ? c.lineTo(x, y) : c.moveTo(x, y)));
  c.closePath();
  c.fill();
}

function strokes(c, lines) {
  c.beginPath();
  for (const [x1, y1, x2, y2] of lines) {
    c.moveTo(x1, y1);
    c.lineTo(x2, y2);
  }
  c.stroke();
}

function disc(c, x, y) {
  c.beginPath();
  c.arc(x, y, 3.5, 0, 2 * Math.PI);
  c.fill();
}

export function tone(kind) {
  return token(TONES[kind] || "--text-2");
}

/** The sign of a kind of mark in its tone: shape and colour both tell. */
export function sign(context, kind, x, y, colour) {
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  (SIGNS[kind] || SIGNS.alert)(context, x, y);
}
