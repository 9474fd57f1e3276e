"""Static files: hashed names, compressed, with the imports between our script modules rewritten."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True
    manifest_strict = False

    def stored_name(self, name: str) -> str:
        """The hashed name; the plain one for a file that was not collected, as in development."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name
