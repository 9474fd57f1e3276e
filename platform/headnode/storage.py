"""Static files: hashed names, compressed, with the imports between our script modules rewritten."""

from __future__ import annotations

from typing import Any

import brotli
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

# At its best, 11, Brotli takes twice as long, which a first start waits for, and saves a thirtieth:
# worth it for the few files that are most of a page's weight.
BROTLI_QUALITY, BEST_QUALITY = 10, 11
HEAVY_BYTES = 30_000


class QuickCompressor(Compressor):
    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        quality = BEST_QUALITY if len(data) > HEAVY_BYTES else BROTLI_QUALITY
        return bytes(brotli.compress(data, quality=quality))


class StaticStorage(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True
    manifest_strict = False
    # A module's hash depends on those of its imports: a pass for each level of them, ten of today.
    max_post_process_passes = 20

    def create_compressor(self, **kwargs: Any) -> Compressor:
        return QuickCompressor(**kwargs)

    def stored_name(self, name: str) -> str:
        """The hashed name; the plain one for a file that was not collected, as in development."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name
