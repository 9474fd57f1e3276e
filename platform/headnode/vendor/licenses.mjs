// Bundling drops the MIT notices of CodeMirror's packages, so they are collected here:
// every package whose code or font ends up in the output, with the full text of its licence.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const [metafiles, out] = [process.argv.slice(2, -1), process.argv.at(-1)];
const fonts = ["@fontsource-variable/ibm-plex-sans", "@fontsource/ibm-plex-mono", "@fontsource/ibm-plex-sans"];
const packages = new Set(fonts);
for (const metafile of metafiles) {
  for (const input of Object.keys(JSON.parse(readFileSync(metafile, "utf8")).inputs)) {
    const match = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (match) packages.add(match[1]);
  }
}

function notice(name) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} ships no licence file`);
  const text = readFileSync(`${folder}/${file}`, "utf8").replaceAll("\r\n", "\n").trim();
  return `${"=".repeat(78)}\n${name} ${version} (${license})\n${"=".repeat(78)}\n\n${text}\n`;
}

const head = "Licences of the browser libraries and fonts in this folder.\n";
writeFileSync(out, [head, ...[...packages].sort().map(notice)].join("\n"));
