// Finds our scripts where a browser would: /static/<app>/… lies in the static folder of that app.

import { registerHooks } from "node:module";

const PLATFORM = new URL("../../", import.meta.url);
const WITHIN = /\/platform\/\w+\/static\/(.+)$/;

/** What a browser would ask for, seen from a script that it got as `parent`; null for all else. */
function nameOf(specifier, parent) {
  const from = parent?.match(WITHIN)?.[1];
  if (!specifier.startsWith("/static/") && !(from && specifier.startsWith("."))) return null;
  return new URL(specifier, `http://page/static/${from ?? ""}`).pathname.slice("/static/".length);
}

registerHooks({
  resolve(specifier, context, next) {
    const name = nameOf(specifier, context.parentURL);
    if (name === null) return next(specifier, context);
    const file = new URL(`${name.split("/")[0]}/static/${name}`, PLATFORM);
    return { ...next(file.href, context), format: "module" };
  },
});
