"""The files that start a cluster: their form, and what they must never hold. No engine is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.servers.cluster import settings

DOCKER = Path(__file__).parents[2] / "docker"


def services(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DOCKER / name).read_text())["services"]
    return found


def test_a_cut_off_node_is_given_up_within_fifteen_seconds_and_nobody_joins_without_the_token() -> None:
    found = settings()
    wait = int(found["RAY_health_check_period_ms"]) + int(found["RAY_health_check_timeout_ms"])
    assert wait * int(found["RAY_health_check_failure_threshold"]) <= 15_000
    assert found["RAY_AUTH_MODE"] == "token"
    assert "RAY_AUTH_TOKEN" not in found


def test_head_and_workers_are_one_image_with_the_settings_and_only_the_door_holds_the_socket() -> None:
    found = services("cluster.compose.yaml")
    assert set(found) == {"head", "worker", "sandbox-door"}
    for name in ("head", "worker"):
        assert found[name]["env_file"] == "ray.env"
        assert found[name]["image"] == found["head"]["image"]
        assert "--block" in found[name]["command"]  # the process is the node: it ends with it
        assert found[name]["cap_drop"] == ["ALL"]
        assert "door" in found[name]["networks"]
    holders = [n for n, s in found.items() if any("docker.sock" in str(v) for v in s["volumes"])]
    assert holders == ["sandbox-door"]
    assert found["sandbox-door"]["networks"] == ["door"]
    networks = yaml.safe_load((DOCKER / "cluster.compose.yaml").read_text())["networks"]
    assert networks["door"]["internal"]


def test_a_build_is_sent_what_its_image_copies_and_nothing_else() -> None:
    ignored = (DOCKER.parent / ".dockerignore").read_text().splitlines()
    sent = {line[1:] for line in ignored if line.startswith("!")}
    copied = {
        word
        for line in (DOCKER / "node.Dockerfile").read_text().splitlines()
        if line.startswith("COPY ")
        for word in line.split()[1:-1]
    }
    assert "*" in ignored
    assert sent == copied
    assert all((DOCKER.parent / name).exists() for name in sent)


@pytest.mark.parametrize("name", ["cluster.compose.yaml", "vllm.compose.yaml"])
def test_debians_compose_takes_the_files_too(name: str) -> None:
    """Version 1.29 refuses every top-level key but these, and keys that begin with `x-`."""
    keys = {k for k in yaml.safe_load((DOCKER / name).read_text()) if not k.startswith("x-")}
    assert keys <= {"services", "networks", "volumes"}


@pytest.mark.parametrize("name", ["cluster.compose.yaml", "vllm.compose.yaml"])
def test_no_file_holds_a_secret(name: str) -> None:
    for service in services(name).values():
        for variable, value in (service.get("environment") or {}).items():
            if any(part in variable for part in ("TOKEN", "KEY", "SECRET")):
                assert value is None, variable  # taken from the shell


def test_the_vision_model_takes_as_many_images_as_a_prompt_has_and_listens_here_only() -> None:
    (service,) = services("vllm.compose.yaml").values()
    (images,) = [c for c in service["command"] if c.startswith("--limit-mm-per-prompt")]
    assert yaml.safe_load(images.split("=", 1)[1])["image"] >= 4  # three of the history and the current one
    assert all("127.0.0.1" in p for p in service["ports"])
    assert service["deploy"]["resources"]["reservations"]["devices"][0]["capabilities"] == ["gpu"]
