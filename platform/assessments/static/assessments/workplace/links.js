// Addresses of places in the room, behind the page's own: #logs?path=...&line=...

/** An address of this page that leads to a place in the room. */
export function linkTo(tab, detail) {
  const wanted = new URLSearchParams(Object.entries(detail).map(([key, value]) => [key, String(value)]));
  return `${location.href.split("#")[0]}#${tab}?${wanted}`;
}

/** The place that the page's address names, {tab, detail}, or null; tabs are the keys there are. */
export function linked(tabs) {
  const [tab, rest] = location.hash.slice(1).split("?");
  if (!tabs.includes(tab)) return null;
  /** @type {Record<string, any>} */
  const detail = Object.fromEntries(new URLSearchParams(rest || ""));
  if (detail.line) detail.line = Number(detail.line);
  return { tab, detail: rest ? detail : null };
}
