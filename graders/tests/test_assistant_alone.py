"""An assistant alone: it gets what a candidate gets and nothing else; what it reaches is kept and told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from graders.__main__ import main
from graders.assistant import lines
from graders.assistant.asking import HISTORY
from graders.assistant.command import KEY, seeds
from graders.assistant.desk import HAND_IN, Desk, NoSuchTool
from graders.assistant.lines import Row, line_from
from graders.cost.makers import write_golden
from scenarios.packs import all_packs, load_pack
from scenarios.troubleshooting.columns import Columns

PACK, LEVEL, SEED = "cost/fleet-bill", "junior", 5
Json = dict[str, Any]


class Model(HTTPServer):
    """Says one message after the other; remembers what it was asked and by which key."""

    def __init__(self, says: list[Json]) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.says, self.asked, self.keys = says, list[Json](), list[str]()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Answering(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers.get("Authorization", ""))
        said = self.server.says.pop(0) if self.server.says else None
        data = {"choices": [{"message": said}], "usage": {"total_tokens": 100}} if said else {}
        text = json.dumps(data).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        pass


def calls(name: str, **given: Any) -> Json:
    function = {"name": name, "arguments": json.dumps(given)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "function": function}],
    }


def answer() -> str:
    return write_golden(load_pack(PACK), LEVEL, "solid", SEED)["answer.json"]


def work() -> list[Json]:
    return [
        calls("list_files"),
        calls("sql", query="SELECT COUNT(*) AS n FROM costs"),
        calls("read_file", path="../key.json"),
        calls("write_answer", path="answer.json", text=answer()),
        calls(HAND_IN),
    ]


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model(work())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def command(into: Path, *more: str) -> list[str]:
    return ["baseline", PACK, "--level", LEVEL, "--into", str(into), "--json", *more]


def test_a_model_is_played_graded_and_kept(
    model: Model,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(KEY, "secret-key")
    with_model = ["--seeds", str(SEED), "--endpoint", model.url, "--model", "small"]
    assert main(command(tmp_path, *with_model)) == 0
    told = json.loads(capsys.readouterr().out)["rows"]
    (row,) = lines.rows_of(PACK, tmp_path)
    assert told[0]["score"] == row.score
    assert row.score is not None
    assert row.score > 0.4
    assert (row.seed, row.model, row.tokens, row.level) == (SEED, "small", 500, LEVEL)
    assert set(row.measures) == {
        "found",
        "accuracy",
        "filters",
        "soundness",
        "order",
        "coverage",
        "feasibility",
    }
    assert set(model.keys) == {"Bearer secret-key"}
    record = json.loads((tmp_path / row.record).read_text())
    assert record["handed_in"] is True
    assert record["answer"] == {"answer.json": answer()}
    replies = [one["content"] for one in record["messages"] if one["role"] == "tool"]
    assert "brief.md" in replies[0]
    assert replies[1].startswith("n\n")
    assert replies[2] == "There is no file '../key.json'."
    assert "secret-key" not in json.dumps(record)


@pytest.mark.nightly
def test_a_recorded_conversation_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "?"}, *work()]}))
    assert main(command(tmp_path, "--seeds", "5..6", "--transcript", str(path))) == 0
    first, second = lines.rows_of(PACK, tmp_path)
    assert [first.seed, second.seed] == [5, 6]
    assert first.score is not None
    assert second.score is not None
    assert first.score > second.score  # the same answer to another bill


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["--seeds", "5"], 2, "There is no assistant to play"),
        (["--seeds", "5", "--endpoint", "http://127.0.0.1:9/v1"], 2, "--model"),
        (
            ["--seeds", "5", "--endpoint", "http://127.0.0.1:9/v1", "--model", "m"],
            3,
            "gave no message",
        ),
        (["--seeds", "5", "--transcript", "/nowhere.json"], 3, "no transcript"),
    ],
)
@pytest.mark.by_day(every=2)
def test_without_an_assistant_it_says_so(
    more: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(tmp_path, *more)) == code
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
    assert lines.rows_of(PACK, tmp_path) == []


def test_seeds_are_one_or_a_range() -> None:
    assert seeds("7") == [7]
    assert seeds("7..9") == [7, 8, 9]
    for text in ("9..7", "a", "1..1000", "-1"):
        with pytest.raises(Exception, match="no seed"):
            seeds(text)


def test_tools_are_those_of_a_candidate(tmp_path: Path) -> None:
    pack = load_pack("automation/queue-autoscaler")
    desk = Desk(pack, "junior", 1, tmp_path / "program")
    assert set(desk.tools) == {
        "list_files", "read_file", "search", "write_answer", "write_section", "run", HAND_IN,
    }  # fmt: skip
    listed = desk.use("list_files", {})
    assert "brief.md" in listed
    assert not any(word in listed for word in ("golden", "key", "guide", "rubric"))
    assert desk.use("search", {"expression": "(", "files": "*"}).startswith("That is no regular")
    assert "Sections are" in desk.use("write_section", {"key": "poem", "text": "x"})
    with pytest.raises(NoSuchTool, match="no tool 'shell'"):
        desk.use("shell", {})
    with pytest.raises(NoSuchTool, match="takes workload"):
        desk.use("run", {"day": "public-1"})
    desk.use(HAND_IN, {})
    with pytest.raises(NoSuchTool, match="handed in"):
        desk.use("write_answer", {"path": "controller.py", "text": ""})


@pytest.mark.nightly
def test_a_clusters_commands_and_a_plans_year_can_be_asked(tmp_path: Path) -> None:
    incident = Desk(load_pack("troubleshooting/slow-training"), "junior", 1, tmp_path / "incident")
    told = incident.tools["command"][0]
    host = told.partition(": ")[2].partition(",")[0]
    assert "command not found" in incident.use("command", {"host": host, "line": "nonsense"})
    assert not any(one.rpartition("/")[2].startswith(".") for one in incident._paths())
    begun = Columns.open(tmp_path / "incident" / HISTORY).start_ms / 1000
    first, last = (f"{datetime.fromtimestamp(begun + s, UTC):%Y-%m-%dT%H:%M}" for s in (3600, 7200))
    times = {"start": first, "end": last, "step_s": 600}
    told = incident.use("promql", {"query": "avg(DCGM_FI_DEV_GPU_UTIL)", **times})
    assert told.startswith("{}: ")
    assert told.count(",") == 6
    for query, bad in (("avg(", times), ("up", {**times, "start": "noon"})):
        assert "Times are UTC" in incident.use("promql", {"query": query, **bad})
    plan = Desk(load_pack("scaling-plan/growth-year"), "junior", 1, tmp_path / "plan")
    assert "measures" in plan.use("what_if", {})
    plan.played = 99
    assert "what-ifs are used" in plan.use("what_if", {})


ROW = Row("mid", 0.9, "1.0.0", "2026-11-21", "Played.", measures={"wait": 0.8})


def test_a_line_is_the_mean_of_its_rows() -> None:
    other = replace(ROW, score=0.7, measured="2026-10-01", measures={})
    line = line_from([ROW, other, replace(ROW, score=None)])
    assert line is not None
    assert (line.n, round(line.mean, 2), line.low, line.high) == (2, 0.8, 0.7, 0.9)
    assert line.when == "2026-10-01 to 2026-11-21"
    assert line.measures == {"wait": 0.8}
    assert line_from([]) is None


def test_what_was_reached_at_an_earlier_version_is_no_line_of_today(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = load_pack(PACK).version
    lines_kept = [replace(ROW, score=0.95, version="0.9.0"), replace(ROW, score=0.6, version=now)]
    monkeypatch.setattr(lines, "rows_of", lambda pack: lines_kept)
    lines._line.cache_clear()
    today, earlier = lines.line_of(PACK, "mid"), lines.earlier_line(PACK, "mid")
    assert today is not None
    assert earlier is not None
    assert (today.n, today.mean) == (1, 0.6)
    assert (earlier.n, earlier.mean) == (1, 0.95)
    lines_kept.pop()
    lines._line.cache_clear()
    assert lines.line_of(PACK, "mid") is None
    lines._line.cache_clear()


def test_what_ships_is_read_for_every_pack_that_was_measured() -> None:
    rows = {pack.name: lines.rows_of(pack.name) for pack in all_packs()}
    first = [
        row.score
        for row in rows["automation/queue-autoscaler"]
        if (row.level, row.measured) == ("senior", "2026-11-21")
    ]
    assert first == [0.99, 0.91]
    assert sum(bool(kept) for kept in rows.values()) >= 10
    for pack in all_packs():
        for row in rows[pack.name]:
            assert row.how
            assert row.level in pack.levels
            assert row.measured.startswith("2026-")
            assert row.score is not None
            assert 0 <= row.score <= 1


def test_the_page_beside_the_rows_has_them_as_they_are() -> None:
    page = (lines.FOLDER / "README.md").read_text(encoding="utf-8")
    assert lines.renewed(page) == page, "python -m graders.assistant.lines writes it anew"
    assert "| automation/queue-autoscaler | senior | 0.99, 0.91 |" in page


def test_a_file_that_is_none_is_told_by_its_name(tmp_path: Path) -> None:
    lines.path_of(PACK, tmp_path).write_text("{}")
    with pytest.raises(ValueError, match=r"cost-fleet-bill\.json holds no baselines"):
        lines.rows_of(PACK, tmp_path)
