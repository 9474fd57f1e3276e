// The pointer over anything that lies on the time axis: hover looks, a click goes there, a drag zooms.

const DRAG_PX = 6;

/**
 * stage: {timeAt(clientX), hover(t | null), go(t), brush(from, to) | null, zoom(from, to), zoomAll()}.
 * A finger drags the time itself; zooming is left to the buttons.
 */
export function listen(node, stage, { onclick = null, onhover = null } = {}) {
  let start = null;
  let dragged = false;
  node.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    start = event.clientX;
    dragged = false;
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", (event) => {
    const at = stage.timeAt(event.clientX);
    if (start === null) {
      stage.hover(at);
      onhover?.(event);
      return;
    }
    if (Math.abs(event.clientX - start) >= DRAG_PX) dragged = true;
    if (!dragged) return;
    if (event.pointerType === "touch") stage.go(at);
    else stage.brush(start, event.clientX);
  });
  const end = (event, kept) => {
    if (start === null) return;
    const [from, to] = [stage.timeAt(start), stage.timeAt(event.clientX)].sort((a, b) => a - b);
    start = null;
    stage.brush(null);
    if (!kept) return;
    if (!dragged && !onclick?.(event)) stage.go(to);
    if (dragged && event.pointerType !== "touch") stage.zoom(from, to);
  };
  node.addEventListener("pointerup", (event) => end(event, true));
  node.addEventListener("pointercancel", (event) => end(event, false));
  node.addEventListener("pointerleave", () => {
    if (start !== null) return;
    stage.hover(null);
    onhover?.(null);
  });
  node.addEventListener("dblclick", () => stage.zoomAll());
}
