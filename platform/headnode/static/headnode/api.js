// Talks to the server: JSON both ways, and a clear difference between "refused" and "not reached".

import { t } from "./words.js";

/** The server answered and said no. */
export class Refused extends Error {
  constructor(status, answer, retryAfter) {
    super(answer?.detail || t`The server answered with status ${status}.`);
    this.status = status;
    this.code = answer?.code || "";
    this.answer = answer || {};
    this.retryAfter = retryAfter;
  }

  /** True when asking again later may work without changing anything. */
  get passing() {
    return this.status >= 500 || this.status === 429 || this.status === 408;
  }

  /** True where this browser may not, or no longer, see what it asked for. */
  get signedOut() {
    return [401, 403, 404].includes(this.status);
  }
}

/** No answer came: offline, a broken connection, or a server that took too long. */
export class Unreachable extends Error {}

function token() {
  const match = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
  return match ? decodeURIComponent(match[1]) : document.querySelector('meta[name="csrf-token"]')?.content || "";
}

async function read(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

/** GET, or POST when there is a body. Raises Refused or Unreachable, nothing else. */
export async function ask(url, body, { keepalive = false, timeout = 15000 } = {}) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeout);
  /** @type {RequestInit & { headers: Record<string, string> }} */
  const options = {
    method: body === undefined ? "GET" : "POST",
    headers: { Accept: "application/json", "X-CSRFToken": token() },
    credentials: "same-origin",
    cache: "no-store",
    keepalive,
    signal: stop.signal,
  };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  try {
    const response = await fetch(url, options);
    const answer = await read(response);
    if (!response.ok) throw new Refused(response.status, answer, Number(response.headers.get("Retry-After")) || 0);
    if (answer === null) throw new Unreachable(t`The answer could not be read.`);
    return answer;
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) throw error;
    throw new Unreachable(t`The server could not be reached.`);
  } finally {
    clearTimeout(timer);
  }
}
