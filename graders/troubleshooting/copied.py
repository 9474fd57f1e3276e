"""Whether a sentence is the candidate's own or stands word for word in the materials."""

from __future__ import annotations

import re

from graders.troubleshooting.truth import Truth

_WORD = re.compile(r"[\w./-]+")
_RUN = 4
"""Words in a row that have to be the same."""
_LEAST_WORDS = 5
_PART = 0.6
"""Of the runs of a sentence that stand in the materials: from here on it is a copy."""
_LEAST_WORD = 8
"""Characters of a line of one word."""
_LEAST_PASTED = 25
"""Characters: fewer may be a value that somebody names."""
_BY_PEOPLE = ("people/",)


def _words(text: str) -> list[str]:
    return [word.strip(".-").lower() for word in _WORD.findall(text) if word.strip(".-")]


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]


class Sources:
    """What people wrote in a variant, by runs of words, and whole lines of everything else.

    Of a line its first two words lead to the numbers of words that such lines have: lines that were
    pasted one after the other are found again in what became one sentence.
    """

    def __init__(self, truth: Truth) -> None:
        self.runs: dict[int, str] = {}
        self.lines: dict[int, str] = {}
        self.lengths: dict[int, set[int]] = {}
        for path, file in truth.files.items():
            if path.startswith(_BY_PEOPLE):
                for run in _runs(_words(file.text)):
                    self.runs.setdefault(hash(run), path)
            for line in file.lines if file.shows else ():
                self._add(line, path)

    def _add(self, line: str, path: str) -> None:
        self.lines.setdefault(hash(line.strip()), path)
        said = line.split()
        said = said[1:] if said[:1] == ["-"] else said
        if len(said) > 1 or len("".join(said)) >= _LEAST_WORD:
            self.lines.setdefault(hash(tuple(said)), path)
            self.lengths.setdefault(hash(tuple(said[:2])), set()).add(len(said))

    def _pasted(self, said: list[str]) -> str:
        """The file of whose lines the words are made, for the most part; "" if they are not."""
        at = covered = 0
        path = ""
        while at < len(said):
            heads = (hash(tuple(said[at : at + 2])), hash((said[at],)))
            lengths = {n for head in heads for n in self.lengths.get(head, ())}
            fits = [n for n in lengths if hash(tuple(said[at : at + n])) in self.lines]
            longest = max(fits, default=0)
            if longest:
                path = self.lines[hash(tuple(said[at : at + longest]))]
            covered += longest
            at += longest or 1
        return path if covered >= _PART * len(said) else ""

    def beside_a_copy(self, text: str) -> bool:
        """Whether a short text is a line of a file, which it is taken for where its neighbour is one."""
        return hash(text.strip()) in self.lines

    def of(self, text: str) -> str:
        """The file in which the sentence stands; "" for one's own words."""
        stripped = text.strip()
        if len(stripped) >= _LEAST_PASTED and (path := self.lines.get(hash(stripped))):
            return path
        words = _words(text)
        if len(words) < _LEAST_WORDS:
            return ""
        if len(stripped) >= _LEAST_PASTED and (path := self._pasted(stripped.split())):
            return path
        runs = _runs(words)
        found = [path for run in runs if (path := self.runs.get(hash(run)))]
        return found[0] if len(found) >= _PART * len(runs) else ""


_KEPT: dict[int, tuple[Truth, Sources]] = {}
_MOST_KEPT = 4


def sources_of(truth: Truth) -> Sources:
    """The sources of a variant, kept for the last few."""
    kept = _KEPT.get(id(truth))
    if kept is None or kept[0] is not truth:
        while len(_KEPT) >= _MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)))
        kept = _KEPT[id(truth)] = (truth, Sources(truth))
    return kept[1]
