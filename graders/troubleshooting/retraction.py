"""What a text takes back later, and what it only thinks possible."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graders.troubleshooting.catalogue import CAUSE, subjects
from graders.troubleshooting.figures import has_figure
from graders.troubleshooting.labels import by_label, named_in
from graders.troubleshooting.languages import says
from graders.troubleshooting.matches import Match, Read
from graders.troubleshooting.patterns import hits
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.sentences import OF_ACTIONS
from graders.troubleshooting.stance import DISMISSES, STATES
from graders.troubleshooting.truth import Truth


def guesses(reads: Sequence[Read]) -> None:
    """Marks claims that their own sentence, or one beside it, only thinks possible."""
    for read in reads:
        if _SURE.match(read.text):
            continue
        said = (_CAPABLE.sub("", read.text), read.place)
        asked = any(text.rstrip(" )\"'”").endswith("?") for text in said)
        if asked or any(says("guesses", text, read.languages) for text in said) or _either(read):
            _mark(read)
    for number, read in enumerate(reads):
        if _cannot_tell(read):
            for other in _undecided(reads, number):
                _mark(other)


_OR = {
    key: re.compile(rf"\b(?:{terms})\b", re.IGNORECASE)
    for key, terms in {
        "en": "or",
        "de": "oder",
        "fr": "ou",
        "es": "o|u",
        "it": "o|oppure",
        "pt": "ou",
        "nl": "of|ofwel",
        "pl": "lub|albo|czy",
    }.items()
} | {"ja": re.compile("または|あるいは|もしくは|それとも")}
_SEVERAL = 3


_SURE = re.compile(
    r"\W*(?:(?:I|we)(?:['’]m|['’]re| am| are) (?:\w+ )?(?:sure|certain)|sicher bin ich"
    r"|proved|proven|certain|confirmed|belegt|bewiesen|erwiesen|gesichert|prouvé|avéré|confirmé|demostrado|probado"
    r"|comprobado|dimostrato|provato|provado|comprovado|bewezen|udowodnion\w+)\b",
    re.IGNORECASE,
)
"""A sentence that begins so may go on to guess why; what it stands beside is no guess."""
_CAPABLE = re.compile(r"\bx?\d+\w* (?:is|are|was|were|would be) possible\b", re.IGNORECASE)
"""What a thing is able to ("x16 is possible")."""


_ONE_OF = re.compile(r"(?:any|one|each|either|some) of (?:them|these|those)$", re.IGNORECASE)


def _cannot_tell(read: Read) -> bool:
    """Whether somebody cannot say which it is; "with one of them mended you gain 0.04 s" is no doubt."""
    found = says("undecided", read.text, read.languages)
    several = [hit for hit in found if _ONE_OF.match(hit.words)]
    if _SURE.match(read.text):
        return bool(several)
    return bool(found) and not (re.search(r"\d", read.text) and len(several) == len(found))


def _either(read: Read) -> bool:
    """Whether the sentence strings causes together with "or", and puts a figure on none."""
    stated = [m for m in read.matches if m.verdict == STATES]
    if len(stated) < _SEVERAL or has_figure(read.text) or not read.statement.section:
        return False
    start = min(hit.start for match in stated for hit in match.hits)
    return _OR.get(read.language, _OR["en"]).search(read.text, start) is not None


def _mark(read: Read) -> None:
    read.matches = [replace(m, guess=True, sure=m.sure / 2) for m in read.matches]


def _undecided(reads: Sequence[Read], number: int) -> Iterator[Read]:
    """Of what somebody cannot tell which it is: the block, or a section in which nothing has a figure."""
    one = reads[number].statement
    if one.hypothesis:
        return
    block = [read for read in reads if one.beside(read.statement)]
    if any(read.matches for read in block):
        yield from block
        return
    section = [read for read in reads if read.statement.section == one.section]
    if not any(has_figure(read.text) for read in section if read.matches):
        yield from section


_WHOLE = re.compile(
    r"\b(?:everything|(?:this|my|the) (?:whole|entire) (?:answer|text|report|analysis|list)"
    r"|all (?:of )?(?:the )?(?:above|this|that|it|them|these|two|three|four|findings|causes)"
    r"|all (?:my|of my) \w+|none of (?:the|these|them|my)|list of causes"
    r"|my (?:list|findings|causes|conclusions)|meine (?:liste|befunde|ursachen)|keine der \w+|aucune des \w+"
    r"|ninguna de las \w+|alles|alle (?:\w+ )?(?:vier|drei|ursachen|befunde)"
    r"|tout (?:ce qui|cela|ce que)|toutes? les \w+|les (?:quatre|trois)|todo|tod[oa]s|l[ao]s (?:cuatro|tres)"
    r"|nada de lo)\b",
    re.IGNORECASE,
)
"""Words by which a sentence takes back more than what it goes on to name."""


def leave_to_herrings(reads: Sequence[Read], truth: Truth) -> None:
    """Drops causes that one word suggests where a herring of this incident is put aside by more words.

    "The BMC firmware of gn016 has no part in it: its sensors read as those of its rack" says nothing of a
    rack that is too hot.
    """
    drawn = {herring.key for herring in truth.key.herrings}
    for read in reads:
        aside = [m for m in read.matches if m.verdict == DISMISSES]
        most = max((len(m.hits) for m in aside if m.subject in drawn), default=0)
        read.matches = [
            m
            for m in read.matches
            if m not in aside or subjects()[m.subject].kind != CAUSE or not len(m.hits) == 1 < most
        ]


def take_back(reads: Sequence[Read], truth: Truth) -> None:
    """Turns claims into what is put aside where a later sentence takes them back."""
    _listed(reads, truth)
    for number, read in enumerate(reads):
        about, whole = _about(read), _WHOLE.search(read.text)
        if not about and (read.statement.hypothesis or not _retracts(read)):
            continue
        all_of_it = says("everything", _with_next(reads, number), read.languages)
        if not about and _moves_things(read, whole=whole is not None):
            continue
        earlier = [
            other for at, other in enumerate(reads) if at < number or other.statement.hypothesis
        ]
        claimed = {m.subject for other in earlier for m in other.matches if m.verdict == STATES}
        named = {key for key in claimed if _names(key, read, truth)} | _numbered(read, earlier)
        named |= _lettered(read, earlier)
        if about and about.isdigit() and 1 <= int(about) <= len(findings := _findings(earlier)):
            named |= findings[int(about) - 1]
        if whole:
            named = claimed
        if not named and all_of_it:
            named = claimed
        for other in (*earlier, read):
            other.matches = [_taken(m, read) if m.subject in named else m for m in other.matches]


def _listed(reads: Sequence[Read], truth: Truth) -> None:
    """Entries of a list below "On second thought:" take back what they name, or the finding of their number."""
    blocks: dict[str, list[int]] = {}
    for number, read in enumerate(reads):
        under = read.statement.under
        if not under or read.statement.hypothesis or not says("retracts", under, read.languages):
            continue
        earlier = reads[:number]
        seen = blocks.setdefault(under, [])
        if read.statement.block not in seen:
            seen.append(read.statement.block)
        before = [other for other in earlier if other.statement.under != under]
        claimed = {m.subject for other in before for m in other.matches if m.verdict == STATES}
        named = {key for key in claimed if _names(key, read, truth)}
        findings = _findings(before)
        if not named and len(seen) <= len(findings):
            named = findings[len(seen) - 1]
        for other in (*before, read):
            other.matches = [_taken(m, read) if m.subject in named else m for m in other.matches]


_POINTS = re.compile(
    r"\b(?:points?|findings?|items?|numbers?|nos?|causes?|entries|punkte?n?|nummern?|befunde?n?|ursachen?"
    r"|numéros?|constats?|puntos?|causas?|números?|punti|numeri|pontos?|punten|nummers)\.?\s+"
    r"(\d{1,2}(?:\s*(?:,|-|–|\w{1,7})\s*\d{1,2}\b)*)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"(\d{1,2})\s*(?:-|–|to|through|bis|à|a|al|ao|até|tot)\s*(\d{1,2})", re.IGNORECASE
)


def _numbered(read: Read, earlier: Sequence[Read]) -> set[str]:
    """What the findings claim of which the sentence gives the numbers ("points 1 to 3")."""
    numbers: set[int] = set()
    for match in _POINTS.finditer(read.text):
        numbers.update(int(one) for one in re.findall(r"\d+", match[1]))
        for span in _RANGE.finditer(match[1]):
            numbers.update(range(int(span[1]), int(span[2]) + 1))
    findings = _findings(earlier)
    return {key for n in numbers if 1 <= n <= len(findings) for key in findings[n - 1]}


_MOVES = re.compile(
    r"(?:take|took|taken|nehm\w*|nimm|trek\w*|scrap\w*|strike|struck|streich\w*|gestrichen)\b",
    re.IGNORECASE,
)
"""What is done to nodes and lines as well as to findings."""
_THINGS = re.compile(
    r"\b(?:nodes?|hosts?|machines?|options?|lines?|limits?|knoten|rechner|maschinen|zeilen?|n(?:œ|oe)uds?|nodos?|nodi|nós"
    r"|opciones|węz\w+)\b",
    re.IGNORECASE,
)


def _retracts(read: Read) -> bool:
    """Whether a sentence has words that take something back, and not only under a condition."""
    if _SUPPOSED.search(read.text):
        return False
    text = _WHAT_WRONG.sub("", read.text)
    return bool(says("retracts", text, read.languages)) or bool(_LABEL_WRONG.search(text))


def _moves_things(read: Read, *, whole: bool) -> bool:
    """Whether it is nodes that are taken back and options that are struck, among what is to be done."""
    found = says("retracts", read.text, read.languages)
    moved = all(_MOVES.match(hit.words) for hit in found) and not _LABEL_WRONG.search(read.text)
    things = not whole or _THINGS.search(read.text) is not None
    return read.statement.section in OF_ACTIONS and moved and things


_WHAT_WRONG = re.compile(
    r"\b(?:what|something|nothing|anything|whatever)(?:['’]s| is| was| are| were| went)?\s+(?:\w+\s+)?wrong\b",
    re.IGNORECASE,
)
_LABEL_WRONG = re.compile(
    r"(?<![\w.])[A-Z]\s+(?:is|was|were|are)\s+(?:\w+\s+)?(?:wrong|mistaken|false|void|nonsense|invalid)\b"
)
_IF = r"(?:if|unless|wenn|falls|si|se)"
_WOULD = (
    r"(?:(?:would|could|might) be (?:\w+ )?(?:wrong|mistaken|disproved|refuted)"
    r"|wäre|wären|läge|lägen|serait|serais|sería|estaría|sarebbe|sarei|seria|estaria)"
)
_SUPPOSED = re.compile(
    rf"\b{_WOULD}\b.{{0,100}}\b{_IF}\b|\b{_IF}\b.{{0,100}}\b{_WOULD}\b", re.IGNORECASE
)
"""What would have to be seen for somebody to be wrong takes nothing back."""
_TO_POINT = re.compile(
    r"\W*(?:zu|re|ad|on|about|concernant|sobre|su|quanto a|over|co do)\s+"
    r"(?:(?:punkt|point|punto|ponto)\s+)?(\d{1,2}|[A-Z])\s*[:,–-]\s*(?:\w+\s+){0,2}?"
    r"(?:falsch|stimmt (?:doch )?nicht|gilt (?:auch |doch )?nicht|nehme|ziehe|irrtum|wrong|not true|no longer"
    r"|withdrawn|taken back|I take|mistaken|faux|fausse|erroné|je retire|falso|falsa|no es|retiro|sbagliato"
    r"|ritiro|errado|fout|klopt niet|błąd|nieprawda)",
    re.IGNORECASE,
)


def _about(read: Read) -> str:
    """The number or letter of the finding that an entry takes back by it ("Zu 2: falsch, ...")."""
    found = _TO_POINT.match(read.text)
    return found[1] if found else ""


def _lettered(read: Read, earlier: Sequence[Read]) -> set[str]:
    """What the findings claim whose letters the sentence names ("D was wrong as well")."""
    labels = by_label(
        (
            one.statement.block,
            one.text,
            [
                (m.subject, len(m.hits))
                for m in one.matches
                if m.verdict == STATES or "taken" in m.why
            ],
        )
        for one in earlier
        if one.statement.section == "issues"
    )
    return {key for name in named_in(read.text, labels) for key in labels[name]}


def _findings(earlier: Sequence[Read]) -> list[set[str]]:
    """What each block of the findings claims, in their order."""
    blocks: dict[int, set[str]] = {}
    for other in earlier:
        if other.statement.section == "issues":
            claims = {
                m.subject for m in other.matches if m.verdict == STATES or "taken back" in m.why
            }
            if claims:
                blocks.setdefault(other.statement.block, set()).update(claims)
    return [keys for _, keys in sorted(blocks.items())]


def _with_next(reads: Sequence[Read], number: int) -> str:
    """The sentence and the one after it in its block."""
    one, after = reads[number], reads[number + 1 : number + 2]
    follows = [other.text for other in after if one.statement.beside(other.statement)]
    return " ".join([one.text, *follows])


def _names(key: str, read: Read, truth: Truth) -> bool:
    if any(match.subject == key for match in read.matches):
        return True
    spot = truth.spots.get(key)
    subject = subjects()[key]
    return bool(spot and tokens_in(spot, read.text)) or bool(hits(subject.words, read.text))


def _taken(match: Match, read: Read) -> Match:
    if match.verdict != STATES:
        return match
    why = f"is taken back in {read.statement.where}"
    return replace(match, verdict=DISMISSES, why=why, firm=True, guess=False)
