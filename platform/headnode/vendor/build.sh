#!/bin/sh
# Rebuild the committed browser libraries from the pinned packages; with --check, only say
# whether the committed files are what the pins produce.
set -eu
cd "$(dirname "$0")"
target=$(cd .. && pwd)/static/headnode/vendor

[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --ignore-scripts --no-audit --no-fund --silent
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/vendor
mkdir -p "$out/fonts"

bundle() {
    metafile=$1
    shift
    node_modules/.bin/esbuild --bundle --minify --format=esm --target=es2022 --legal-comments=none \
        --metafile="$work/$metafile.json" --outdir="$out" --log-level=warning "$@"
}
# The editor's parts share what they have in common, as files of their own.
editor=$(for entry in codemirror*.entry.js; do echo "${entry%.entry.js}=$entry"; done)
bundle codemirror --splitting --chunk-names=codemirror_shared_[hash] $editor
bundle uplot uplot=uplot.entry.js
bundle xterm xterm=xterm.entry.js
# What tsc takes for their types: those of the packages that went into them.
for entry in *.entry.js; do
    echo "export * from \"../../../vendor/$entry\";" >"$out/${entry%.entry.js}.d.ts"
done
echo 'export { default } from "../../../vendor/uplot.entry.js";' >"$out/uplot.d.ts"
cp node_modules/uplot/dist/uPlot.min.css "$out/uplot.css"
cp node_modules/@xterm/xterm/css/xterm.css "$out/xterm.css"

for subset in latin latin-ext; do
    for face in sans:400-normal sans:400-italic sans:500-normal sans:600-normal mono:400-normal mono:600-normal; do
        file=ibm-plex-${face%%:*}-$subset-${face#*:}.woff2
        cp "node_modules/@fontsource/ibm-plex-${face%%:*}/files/$file" "$out/fonts/$file"
    done
    # All upright weights of the text in one file, for pages; a PDF is set in the single ones.
    file=ibm-plex-sans-$subset-wght-normal.woff2
    cp "node_modules/@fontsource-variable/ibm-plex-sans/files/$file" "$out/fonts/$file"
done
node licenses.mjs "$work/codemirror.json" "$work/uplot.json" "$work/xterm.json" "$out/LICENSES.txt"
chmod -R u=rwX,go=rX "$out"
(cd "$out" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's|^\./||' | xargs sha256sum >"$work/SUMS")
mv "$work/SUMS" "$out/SHA256SUMS"

if [ "${1:-}" = --check ]; then
    diff -rq "$out" "$target" && echo "The vendored libraries are what the pins produce."
else
    rm -rf "$target"
    mkdir -p "$(dirname "$target")"
    cp -R "$out" "$target"
    du -sh "$target"
fi
