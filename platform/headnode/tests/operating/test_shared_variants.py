"""What one host built another fetches, from a folder or an S3-compatible store."""

from __future__ import annotations

import json
import logging
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages

from assessments.materials import shared, variants
from headnode.environment import storage_at

PACK = "troubleshooting/slow-training"


@pytest.fixture
def hosts(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that were built, each in place of five seconds' work; `go` moves to a host."""
    built: list[str] = []

    def build(pack: str, level: str, seed: int, folder: Path, company: str) -> None:
        built.append(str(folder.parent))
        (folder / "logs").mkdir(parents=True)
        (folder / variants.MANIFEST).write_text("{}")
        (folder / "logs/a.log").write_bytes(b"\x00line")
        key = variants._key_file(folder)
        key.parent.mkdir(parents=True, exist_ok=True)
        key.write_text(json.dumps({"cause": seed}))

    monkeypatch.setattr(variants, "_build", build)
    settings.VARIANTS = tmp_path / "one"
    return built


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of moto's server, which speaks S3."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.nightly)])
def store(
    request: pytest.FixtureRequest, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if request.param == "folder":
        place = f"file://{tmp_path}/shared"
    else:
        import boto3

        url, place = (
            request.getfixturevalue("s3"),
            f"s3://b{tmp_path.name.replace('_', '-').lower()}/site",
        )
        for name, value in (("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")):
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("S3_ENDPOINT_URL", url)
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        boto3.client("s3", endpoint_url=url).create_bucket(Bucket=place.split("/")[2])
    settings.STORAGES = settings.STORAGES | {shared.ALIAS: storage_at(place)}


def test_the_second_host_fetches_what_the_first_built(
    hosts: list[str], store: None, settings: Any, tmp_path: Path
) -> None:
    first = variants.folder_of(PACK, "mid", 7)
    settings.VARIANTS = tmp_path / "two"
    second = variants.folder_of(PACK, "mid", 7)
    assert hosts == [str(tmp_path / "one")]
    assert (second / "logs/a.log").read_bytes() == (first / "logs/a.log").read_bytes()
    assert second.parent == tmp_path / "two"
    assert variants.key_of(PACK, "mid", 7) == {"cause": 7}
    assert not list(second.rglob("key.json"))  # what lies in the folder is shown to candidates
    variants.folder_of(PACK, "mid", 8)
    assert len(hosts) == 2


def test_without_a_store_each_host_builds_its_own(
    hosts: list[str], settings: Any, tmp_path: Path
) -> None:
    variants.folder_of(PACK, "mid", 7)
    settings.VARIANTS = tmp_path / "two"
    variants.folder_of(PACK, "mid", 7)
    assert len(hosts) == 2


def test_a_store_that_is_away_or_holds_nonsense_costs_nothing(
    hosts: list[str], settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    settings.STORAGES = settings.STORAGES | {shared.ALIAS: storage_at(f"file://{tmp_path}/shared")}
    folder = variants.folder_of(PACK, "mid", 7)
    (kept,) = (tmp_path / "shared/variants").iterdir()
    kept.write_bytes(b"no archive")
    settings.VARIANTS = tmp_path / "two"
    with caplog.at_level(logging.WARNING):
        assert variants.folder_of(PACK, "mid", 7).name == folder.name
    assert "is built here" in caplog.text
    with tarfile.open(kept, "w") as archive:
        evil = tarfile.TarInfo("files/../../../escaped")
        archive.addfile(evil)
    settings.VARIANTS = tmp_path / "three"
    variants.folder_of(PACK, "mid", 7)
    assert not list(tmp_path.rglob("escaped"))

    def away(self: Any, name: str) -> bool:
        raise OSError("no route")

    monkeypatch.setattr(type(storages[shared.ALIAS]), "exists", away)
    variants.folder_of(PACK, "mid", 9)
    assert len(hosts) == 4
