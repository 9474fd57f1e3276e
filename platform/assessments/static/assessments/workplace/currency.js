// The currency of the exercise's company: what stands behind every amount of the page.

export const MONEY = globalThis.document?.querySelector("[data-currency]")?.dataset.currency || "USD";
