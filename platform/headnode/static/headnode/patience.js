// Asks again by itself where the server had no place for a question yet.

import { t } from "./words.js";

const LEAST_S = 0.25;
const MOST_S = 8;
const PATIENCE_MS = 120_000;

/** Seconds until the answer's sender may be asked again; 0 where it did not say so. */
export function retryAfter(response) {
  return Number(response.headers.get("Retry-After")) || 0;
}

/** @returns {Promise<void>} */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("Not asked again.", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/**
 * What `ask` brings. Where its error says after how many seconds it may be asked again (`retryAfter`), it is, with
 * longer and longer pauses, each a bit different so that a crowd does not come back as one; told(sentence) says so
 * each time. One's own last question (`code` is "asking") has mostly ended already. After two minutes the error is
 * the caller's.
 * @param {() => Promise<any>} ask
 * @param {{ signal?: AbortSignal, told?: (sentence: string) => void }} [heeded]
 */
export async function patiently(ask, { signal, told = () => {} } = {}) {
  const until = performance.now() + PATIENCE_MS;
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!error.retryAfter || performance.now() > until) throw error;
      told(t`Waiting for a free place. ${error.message}`);
      const least = error.code === "asking" ? LEAST_S : error.retryAfter;
      await pause(Math.min(MOST_S, least * 1.5 ** tries) * (750 + Math.random() * 500), signal);
    }
  }
}
