"""Static files: hashed names, compressed, with the imports between our script modules rewritten."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True
    manifest_strict = False
    # A module's hash depends on those of its imports: a pass for each level of them, ten of today.
    max_post_process_passes = 20

    def stored_name(self, name: str) -> str:
        """The hashed name; the plain one for a file that was not collected, as in development."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name
