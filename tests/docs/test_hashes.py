"""Every pinned version has its hashes, and what has none of them is not used."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "hashes.txt").read_text("utf-8")


def pinned(text: str) -> list[str]:
    """Return names with versions, as both files have them."""
    return re.findall(r"^[\w.-]+==[\w.+!-]+", text, re.MULTILINE)


def test_every_pinned_version_has_its_hashes() -> None:
    """Both files have the same versions in the same order, each with a hash; neither has an address."""
    versions = (ROOT / "constraints.txt").read_text("utf-8")
    assert pinned(TEXT) == pinned(versions), "run .ci/list-hashes"
    assert len(re.findall(r"==\S+ \\\n    --hash=sha256:[0-9a-f]{64}\b", TEXT)) == len(pinned(TEXT))
    assert "://" not in TEXT + versions


def installed(name: str, version: str, **where: Any) -> dict[str, Any]:
    """Return what pip reports of a package."""
    return {"metadata": {"name": name, "version": version}, "download_info": where}


def checked(tmp_path: Path, *entries: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """Check a report."""
    report = tmp_path / "installed.json"
    report.write_text(json.dumps({"install": list(entries)}), "utf-8")
    run = [sys.executable, str(ROOT / ".ci" / "check-hashes"), str(report)]
    return subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)


def test_another_file_is_refused(tmp_path: Path) -> None:
    """A file of a pinned version passes by its hash, under any spelling of its name; another one does not, nor one without."""
    name, version, hash = re.findall(r"^(Jinja2)==(\S+) \\\n    --hash=sha256:(\w+)", TEXT, re.MULTILINE)[0]
    project = installed("swapregret", "0.1.0", dir_info={"editable": True})
    right = installed(name.lower(), version, archive_info={"hashes": {"sha256": hash}})
    assert (checked(tmp_path, project, right).returncode, checked(tmp_path, right).stdout) == (0, "")
    for given in ({"hashes": {"sha256": "0" * 64}}, {}):
        refused = checked(tmp_path, project, installed(name, version, archive_info=given))
        assert refused.returncode == 1
        assert f"{name} {version}" in refused.stderr
    unknown = checked(tmp_path, installed("elsewhere", "1.0", archive_info={"hashes": {"sha256": "0" * 64}}))
    assert (unknown.returncode, unknown.stdout) == (0, "Installed, but not pinned: elsewhere 1.0.\n")
