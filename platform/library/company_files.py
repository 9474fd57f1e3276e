"""A company profile from uploaded files: a profile's own TOML, or exports of the cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from library.export_reading import fit_aside
from library.models import CompanyProfile
from scenarios.company.importer import BadRow, Export, ImportRefused
from scenarios.company.profile import Profile, ProfileError, complete, read_profile

MOST_TOML = 1_000_000
MOST_EXPORT = 100_000_000
KINDS = ("sacct", "focus", "inventory")
ENCODINGS = (
    ("", "UTF-8"),
    ("cp1252", "Western European (Windows)"),
    ("cp1250", "Central European (Windows)"),
    ("cp1251", "Cyrillic (Windows)"),
    ("shift_jis", "Japanese (Shift JIS)"),
    ("gb18030", "Chinese (GB 18030)"),
)


@dataclass(slots=True)
class Read:
    """What came of the files: a profile, or why not. `missing` says what the exports do not tell."""

    profile: Profile | None = None
    origin: str = ""
    problem: str = ""
    bad: list[BadRow] = field(default_factory=list)
    bad_count: int = 0
    missing: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)


def _file(label: str, accept: str, words: str) -> forms.FileField:
    widget = forms.ClearableFileInput(attrs={"accept": accept})
    return forms.FileField(label=label, required=False, help_text=words, widget=widget)


class TomlForm(forms.Form):
    """One profile file."""

    profile = _file(
        "Profile file (TOML)",
        ".toml",
        "As this site or “python -m scenarios import” writes it.",
    )

    def read(self) -> Read:
        """The profile in the file."""
        file = self.cleaned_data["profile"]
        if file is None:
            return Read(problem="Choose a profile file.")
        if file.size > MOST_TOML:
            return Read(problem="The file is larger than 1 MB: it is no profile.")
        try:
            text = file.read().decode("utf-8-sig")
            profile = complete(read_profile(text, "The file"))
        except UnicodeDecodeError:
            return Read(problem="The file is not UTF-8 text: save it as UTF-8.")
        except ProfileError as error:
            return Read(problem=str(error))
        return Read(profile, CompanyProfile.Origin.FILE)


class ExportsForm(forms.Form):
    """Up to three exports and what the cluster is called."""

    name = forms.CharField(label="Name of the cluster", max_length=40, initial="halo")
    sacct = _file(
        "Accounting",
        ".txt,.csv,.psv,.out",
        "What “sacct -P” prints. It tells teams, kinds of work, weekly rhythm and growth.",
    )
    focus = _file(
        "Costs",
        ".csv",
        "A FOCUS file, version 1.0 to 1.2, as CSV. It tells prices and what is spent.",
    )
    inventory = _file(
        "Inventory",
        ".csv",
        "Nodes, switches, storage and sites as CSV. It tells what there is.",
    )
    encoding = forms.ChoiceField(
        label="Encoding",
        choices=ENCODINGS,
        required=False,
        help_text="Of files that are not UTF-8.",
    )
    skip_bad = forms.BooleanField(
        label="Leave bad rows out",
        required=False,
        help_text="Otherwise one bad row is enough that nothing is imported.",
    )

    def read(self) -> Read:
        """What the exports come to; all of them, or nothing."""
        data = self.cleaned_data
        exports = {kind: one for kind in KINDS if (one := self._export(kind))}
        large = [one.name for one in exports.values() if _size(one) > MOST_EXPORT]
        if large:
            return Read(
                problem=f"{large[0]} is larger than 100 MB: use “python -m scenarios import” and upload "
                "the profile that it writes."
            )
        try:
            found = fit_aside(exports, name=data["name"], skip_bad=data["skip_bad"])
        except (ImportRefused, ProfileError) as error:
            return Read(problem=str(error))
        read = Read(found.profile, CompanyProfile.Origin.EXPORTS)
        read.bad, read.bad_count = found.bad, found.bad_count
        read.missing, read.sources = found.missing, found.sources
        return read

    def _export(self, kind: str) -> Export | None:
        file: UploadedFile[Any] | None = self.cleaned_data[kind]
        if file is None:
            return None
        stream: Any = file.file
        name = str(file.name)[:80]
        return Export(name, stream, self.cleaned_data["encoding"])


def _size(export: Export) -> int:
    export.stream.seek(0, 2)
    size = export.stream.tell()
    export.stream.seek(0)
    return size
