"""Write the whole site into one file, while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from headnode.backup.making import make


class Command(BaseCommand):
    help = "Write every row and file of the site into FILE (tar.gz, readable by you alone)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--force", action="store_true", help="write over a file that is there")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"].absolute()
        if path.exists() and not options["force"]:
            sentence = f"{path} is there already: choose another name, or say --force."
            raise CommandError(sentence, returncode=2)
        try:
            manifest = make(path, now=timezone.now())
        except OSError as error:
            sentence = f"{path} could not be written: {error.strerror or error}."
            raise CommandError(sentence, returncode=3) from error
        except DatabaseError as error:
            raise CommandError(f"The database could not be read: {error}", returncode=3) from error
        count = sum(one["rows"] for one in manifest["tables"].values())
        size = path.stat().st_size / (1 << 20)
        self.stdout.write(
            f"{path}: {count} rows of {len(manifest['tables'])} tables, {len(manifest['files'])} files, "
            f"{size:.1f} MiB."
        )
        if manifest["secret_key"] == "environment":  # noqa: S105  (where it lies, not what it is)
            self.stdout.write(
                "SECRET_KEY comes from the environment and is not in the file: keep it elsewhere."
            )
