"""The schema of the experiment: one dataclass per Hydra group, so that a misspelled key fails at once.

The YAML files under `conf/` hold the values; this module only says which keys there are and of which type. Every
choice of a group names its class with `_target_`. Keys of providers never stand here: a config holds the *name* of an
environment variable, and `secrets_in` refuses a config that holds the value of one.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import MISSING, DictConfig, ListConfig, OmegaConf


class ConfigError(ValueError):
    """An experiment that cannot be run as written; the message is one line with the way out."""


@dataclass
class SuiteConfig:
    """Which cases: a builder and its options. `root` is where suites are kept, relative to the working directory."""

    _target_: str = MISSING
    name: str = MISSING
    root: str = "suites"


@dataclass
class GeneratedSuite(SuiteConfig):
    """A suite made from a seed. `sizes` are cases by domain; `path` a folder to build in, or one that is built, or an
    archive; `lock` "auto", a file or null; `payloads` a folder with further wordings."""

    _target_: str = "benchmark.construct.build.GeneratedSuite"
    name: str = "generated"
    seed: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    workers: int | None = None
    path: str | None = None
    lock: str | None = "auto"
    allow_drift: bool = False
    payloads: str | None = None


@dataclass
class StoredSuite(SuiteConfig):
    """A built suite: `path` is its folder or an archive; `lock` a file that its cases are held to."""

    _target_: str = "benchmark.suite.StoredSuite"
    name: str = "stored"
    path: str = MISSING
    lock: str | None = None
    allow_drift: bool = False


@dataclass
class FromSource(SuiteConfig):
    """Cases made of recordings that lie in `root`, in the layout of `source`; `into` is where suites are kept.

    `sample` cases at most, dealt evenly over apps and sites; `keep` consequential or all tasks; see docs/bring_your_own.md.
    """

    _target_: str = "benchmark.sources.suite.FromSource"
    name: str = "from_source"
    source: str = MISSING
    root: str = MISSING
    into: str = "suites"
    path: str | None = None
    seed: int = 0
    sample: int | None = None
    keep: str = "consequential"
    min_steps: int | None = None
    licence: str | None = None
    workers: int | None = None


@dataclass
class OfficialSuite(SuiteConfig):
    """The official release at `root`; `boxes` is a file of boxes by case id, as `mma annotate` saves it."""

    _target_: str = "benchmark.sources.official.OfficialSuite"
    name: str = "official"
    root: str = MISSING
    into: str = "suites"
    path: str | None = None
    boxes: str | None = None


@dataclass
class SpaceConfig:
    """Coordinate space of a model's answers: pixel, norm_1, norm_999 or norm_1000, null where none is declared; axis
    order xy or yx."""

    name: str | None = None
    order: str = "xy"


@dataclass
class ImageConfig:
    """What the endpoint accepts; null means no limit. See `runner.exchange.ImagePolicy`."""

    max_edge: int | None = None
    short_edge: int | None = None
    max_pixels: int | None = None
    max_bytes: int | None = None
    max_count: int | None = None
    format: str = "keep"
    quality: int = 90
    detail: str | None = None
    multiple: int | None = None


@dataclass
class LimitConfig:
    """Concurrency, rates and retries of one endpoint; a rate of null is not limited."""

    max_in_flight: int = 64
    start_in_flight: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    retry_max: int = 6
    timeout_s: float = 180.0


@dataclass
class PriceConfig:
    """US dollars per million tokens, with the day it was read and where; null is unknown, not free."""

    prompt: float | None = None
    completion: float | None = None
    cached: float | None = None
    date: str | None = None
    source: str | None = None


@dataclass
class ModelConfig:
    """A chat model behind an OpenAI-compatible endpoint; docs/models.md says what each key means.

    `paper` is true for the models that the paper names; `cache` is where resized images are kept.
    """

    _target_: str = "runner.models.openai_chat.OpenAIChat"
    label: str = MISSING
    name: str = MISSING
    family: str = ""
    base_url: str | None = None
    api_key_env: str | None = None
    dialect: str = "chat"
    space: SpaceConfig = field(default_factory=SpaceConfig)
    image: ImageConfig = field(default_factory=ImageConfig)
    params: dict[str, Any] = field(default_factory=dict)
    refuses: list[str] = field(default_factory=list)
    enforce_schema: bool = False
    limits: LimitConfig = field(default_factory=LimitConfig)
    price: PriceConfig = field(default_factory=PriceConfig)
    verified: str = "never"
    paper: bool = False
    cache: str | None = "suites/.sent"
    notes: str = ""


@dataclass
class ReferenceModel:
    """The offline victim that reads the pixels. `policy`: naive, task_focused or wary."""

    _target_: str = "runner.models.reference.ReferenceVictim"
    label: str = MISSING
    name: str = "reference"
    family: str = "reference"
    policy: str = "naive"
    space: SpaceConfig = field(default_factory=lambda: SpaceConfig("pixel"))
    image: ImageConfig = field(default_factory=ImageConfig)
    history: bool = True
    workers: int | None = None
    cache: str | None = "suites/.reading"
    limits: LimitConfig = field(default_factory=lambda: LimitConfig(max_in_flight=8))
    price: PriceConfig = field(default_factory=lambda: PriceConfig(0.0, 0.0, 0.0, None, "runs on this machine"))
    verified: str = "not needed"


@dataclass
class HarnessConfig:
    _target_: str = MISSING
    name: str = MISSING


@dataclass
class NextAction(HarnessConfig):
    """One reply per case. `history` images are kept, the latest ones; null keeps all."""

    _target_: str = "runner.harness.next_action.NextAction"
    name: str = "next_action"
    history: int | None = 3


@dataclass
class AsReleasedConfig(HarnessConfig):
    """The official release's two turns with attack text outside the image; for suite=official, never mixed with others."""

    _target_: str = "runner.harness.as_released.AsReleased"
    name: str = "as_released"


@dataclass
class ContainerAgentConfig(HarnessConfig):
    """An agent of your own image (with sandbox=docker). `digest` is pinned at the start where it is null."""

    _target_: str = "runner.harness.container.ContainerAgent"
    name: str = "container"
    image: str = MISSING
    digest: str | None = None
    history: int | None = 3
    max_calls: int = 16


@dataclass
class InteractiveConfig(HarnessConfig):
    """The agent acts in the app. `start`: injection or trajectory; `steps` limits an episode; `lifetime` a payload."""

    _target_: str = "runner.harness.interactive.Interactive"
    name: str = "interactive"
    history: int | None = 3
    start: str = "injection"
    steps: int = 20
    lifetime: int | None = None


@dataclass
class LiveConfig(InteractiveConfig):
    """The same in a real browser: `browser` holds `executable`, or `endpoint` of one in a container (docker/live)."""

    name: str = "live"
    browser: dict[str, Any] = field(default_factory=dict)


@dataclass
class DomainConfig:
    """What an agent of a domain is told. `instruction` has the slots {stance} and {actions}."""

    name: str = MISSING
    instruction: str = MISSING
    actions: dict[str, str] = field(default_factory=dict)
    schema: dict[str, Any] = field(default_factory=dict)


@dataclass
class PromptConfig:
    """A prompt control: a prefix before the instruction and the stance sentence within it, by domain or `default`."""

    name: str = MISSING
    prefix: str = ""
    stance: dict[str, str] = field(default_factory=dict)


@dataclass
class JudgeConfig:
    _target_: str = MISSING
    name: str = MISSING


@dataclass
class RulesJudge(JudgeConfig):
    _target_: str = "runner.judges.rules.RulesJudge"
    name: str = "rules"


@dataclass
class RubricJudge(JudgeConfig):
    """A chat model as judge. `model@judge.model=...` chooses it; see `runner.judges.rubric` for the rest."""

    _target_: str = "runner.judges.rubric.RubricJudge"
    name: str = "rubric"
    model: Any = MISSING
    instruction: str = MISSING
    clean_instruction: str = MISSING
    reminder: str = MISSING
    reasoning: bool = False
    image: bool = True
    repeat: int = 1
    attempts: int = 3
    ask_when_hit: bool = True
    clean_by: str = "predicate"
    text_limit: int = 12_000


@dataclass
class Panel(JudgeConfig):
    """Several judges and one vote; `members` are judges by name."""

    _target_: str = "runner.judges.panel.Panel"
    name: str = "panel"
    members: dict[str, Any] = field(default_factory=dict)


@dataclass
class DefenseConfig:
    _target_: str = "runner.defenses.NoDefense"
    name: str = "none"


@dataclass
class PermissionGateConfig(DefenseConfig):
    """`form`: coarse refuses every consequential kind of effect, fine asks for a mandate in the task's words."""

    _target_: str = "runner.defenses.permissions.PermissionGate"
    name: str = "permission_gate"
    form: str = "fine"


@dataclass
class ConfirmationGateConfig(DefenseConfig):
    """A simulated user is asked; with probability `blind` they approve without reading."""

    _target_: str = "runner.defenses.confirmation.ConfirmationGate"
    name: str = "confirmation_gate"
    blind: float = 0.0
    seed: int = 0


@dataclass
class ProvenanceConfig(DefenseConfig):
    """The interface's own controls are marked. `forged` is what payloads copy: none, border or stale (a code too)."""

    _target_: str = "runner.defenses.provenance.Provenance"
    name: str = "provenance"
    forged: str = "none"
    seed: int = 0


@dataclass
class OcrFilterConfig(DefenseConfig):
    """Commands that the app does not know it has drawn are painted over. Needs the extra `reference`."""

    _target_: str = "runner.defenses.ocr_filter.OcrFilter"
    name: str = "ocr_filter"
    cache: str | None = "suites/.reading"
    workers: int | None = None


@dataclass
class StackConfig(DefenseConfig):
    """Several defenses, by name: `+defense@defense.members.NAME=CHOICE` adds one."""

    _target_: str = "runner.defenses.stack.Stack"
    name: str = "stack"
    members: dict[str, Any] = field(default_factory=dict)


@dataclass
class ExecutorConfig:
    _target_: str = MISSING
    name: str = MISSING


@dataclass
class LocalExecutor(ExecutorConfig):
    """All calls from one event loop of this process. `window` units are in hand at once; null follows the model."""

    _target_: str = "runner.executors.local.LocalExecutor"
    name: str = "local"
    window: int | None = None


@dataclass
class RayExecutor(ExecutorConfig):
    """Over the nodes of a Ray cluster. `address` null starts Ray on this machine, and never joins one."""

    _target_: str = "runner.executors.ray.RayExecutor"
    name: str = "ray"
    address: str | None = None
    auth: str | None = None
    slots: int = 1
    window: int | None = None
    stall_s: float = 300.0
    images: str = "auto"
    send_keys: bool = False


@dataclass
class SandboxConfig:
    _target_: str = "runner.sandbox.NoSandbox"
    name: str = "none"


@dataclass
class DockerSandboxConfig(SandboxConfig):
    """Agents in containers. `containers` per worker, sizes in MB, `timeout_s` of an agent's own time for one case.

    `recycle_after` cases a container is replaced; `fresh` gives every case its own. `digest` pins `image`.
    """

    _target_: str = "runner.sandbox.docker.DockerSandbox"
    name: str = "docker"
    image: str = "mma-agent"
    digest: str | None = None
    containers: int = 8
    fresh: bool = False
    recycle_after: int = 500
    memory_mb: int = 512
    cpus: float = 1.0
    processes: int = 128
    disk_mb: int = 64
    timeout_s: float = 120.0
    start_s: float = 60.0


@dataclass
class TrackerConfig:
    _target_: str = MISSING
    name: str = MISSING


@dataclass
class NoTracker(TrackerConfig):
    _target_: str = "runner.trackers.none.NoTracker"
    name: str = "none"


@dataclass
class WandbTracker(TrackerConfig):
    """Weights & Biases. `mode` null: WANDB_MODE, else online with a key and offline without one.

    At the end of a run, up to `images` hits and lost tasks are shown with their boxes; 0 shows none. `figures` draws
    those of `mma report`, and `artifact` stores the run directory without images.
    """

    _target_: str = "runner.trackers.wandb.WandbTracker"
    name: str = "wandb"
    project: str = "mma-safetybench"
    entity: str | None = None
    mode: str | None = None
    tags: list[str] = field(default_factory=list)
    images: int = 200
    figures: bool = True
    artifact: bool = True


@dataclass
class RunConfig:
    """Where runs are kept, relative to the working directory; `dir` names one directory outright."""

    root: str = "runs"
    dir: str | None = None


@dataclass
class BudgetConfig:
    usd: float | None = None
    tokens: int | None = None


@dataclass
class Experiment:
    """The whole experiment. `observation` is injected or clean; `limit` takes a stratified part of the selection.

    `cache`: off, on (replies of models that do not sample are shared by runs), always (those of all models).
    """

    suite: Any = MISSING
    model: Any = MISSING
    harness: Any = MISSING
    domains: dict[str, DomainConfig] = field(default_factory=dict)
    prompt: PromptConfig = field(default_factory=PromptConfig)
    judge: Any = MISSING
    defense: Any = MISSING
    executor: Any = MISSING
    sandbox: Any = MISSING
    tracker: Any = MISSING
    observation: str = "injected"
    repeats: int = 1
    limit: int | None = None
    ids: list[str] = field(default_factory=list)
    seed: int = 0
    dry_run: bool = False
    cache: str = "off"
    run: RunConfig = field(default_factory=RunConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)


SCHEMAS: tuple[tuple[str | None, str, type], ...] = (
    (None, "base_experiment", Experiment),
    ("suite", "base_generated", GeneratedSuite),
    ("suite", "base_stored", StoredSuite),
    ("suite", "base_from_source", FromSource),
    ("suite", "base_official", OfficialSuite),
    ("model", "base_chat", ModelConfig),
    ("model", "base_reference", ReferenceModel),
    ("harness", "base_next_action", NextAction),
    ("harness", "base_as_released", AsReleasedConfig),
    ("harness", "base_container", ContainerAgentConfig),
    ("harness", "base_interactive", InteractiveConfig),
    ("harness", "base_live", LiveConfig),
    ("domain", "base_domain", DomainConfig),
    ("prompt", "base_prompt", PromptConfig),
    ("judge", "base_rules", RulesJudge),
    ("judge", "base_rubric", RubricJudge),
    ("judge", "base_panel", Panel),
    ("defense", "base_defense", DefenseConfig),
    ("defense", "base_permission_gate", PermissionGateConfig),
    ("defense", "base_confirmation_gate", ConfirmationGateConfig),
    ("defense", "base_provenance", ProvenanceConfig),
    ("defense", "base_ocr_filter", OcrFilterConfig),
    ("defense", "base_stack", StackConfig),
    ("executor", "base_local", LocalExecutor),
    ("executor", "base_ray", RayExecutor),
    ("sandbox", "base_sandbox", SandboxConfig),
    ("sandbox", "base_docker", DockerSandboxConfig),
    ("tracker", "base_no_tracker", NoTracker),
    ("tracker", "base_wandb", WandbTracker),
)


PACKAGED = Path(__file__).resolve().parent.parent
"""Where `conf` and `sweeps` lie, in a checkout and in an installation."""


class PackagedPath(SearchPathPlugin):
    """Lets Hydra find the packaged files and the ready sweeps, after those of a folder of the user's."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        for folder in ("conf", "sweeps"):
            search_path.append(f"mma-{folder}", f"file://{PACKAGED / folder}")


def first_folder(arguments: Sequence[str]) -> tuple[Path, list[str]]:
    """Where configs are looked for first, and the arguments without what says so: `--config-dir`, else `conf`.

    Hydra itself would look there last, and take a packaged file where the user has one of the same name.

    Raises:
        ConfigError: there is no such folder.
    """
    folder, rest, coming = PACKAGED / "conf", [], iter(arguments)
    for argument in coming:
        flag, equals, value = argument.partition("=")
        if flag not in {"--config-dir", "-cd"}:
            rest.append(argument)
            continue
        given = value if equals else next(coming, "")
        folder = Path(given).resolve()
        if not given or not folder.is_dir():
            raise ConfigError(f"{flag} {given or 'without a folder'}: there is no such folder")
    return folder, rest


def register() -> None:
    """Makes schemas, packaged files and ready sweeps known to Hydra; calling it twice does no harm."""
    Plugins.instance().register(PackagedPath)
    store = ConfigStore.instance()
    for group, name, node in SCHEMAS:
        store.store(group=group, name=name, node=node)


def unknown_keys(node: Any, path: str = "") -> list[str]:
    """Keys that no schema knows: `+typo=1` passes Hydra's own check. Open dicts stay open."""
    if isinstance(node, ListConfig):
        return [k for i in range(len(node)) for k in unknown_keys(node._get_node(i), f"{path}[{i}]")]
    if not isinstance(node, DictConfig) or node._is_none() or node._is_missing():
        return []
    kind = OmegaConf.get_type(node)
    names = {f.name for f in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else None
    found: list[str] = []
    for key in node:
        here = f"{path}.{key!s}" if path else str(key)
        if names is not None and str(key) not in names:
            found.append(here)
        elif OmegaConf.is_config(node._get_node(key)):
            found += unknown_keys(node._get_node(key), here)
    return found


SECRET_NAME_PARTS = ("KEY", "TOKEN", "SECRET", "PASSWORD")


def secrets_in(plain: Any, environment: dict[str, str] | None = None) -> list[str]:
    """Paths of config values that equal the value of a secret-looking environment variable (8 characters or more)."""
    environment = dict(os.environ) if environment is None else environment
    values = {v for k, v in environment.items() if len(v) >= 8 and any(part in k.upper() for part in SECRET_NAME_PARTS)}

    def walk(node: Any, path: str) -> list[str]:
        if isinstance(node, dict):
            return [hit for k, v in node.items() for hit in walk(v, f"{path}.{k}" if path else str(k))]
        if isinstance(node, list):
            return [hit for i, v in enumerate(node) for hit in walk(v, f"{path}[{i}]")]
        return [path] if isinstance(node, str) and any(secret in node for secret in values) else []

    return walk(plain, "")


def plain(cfg: DictConfig) -> dict[str, Any]:
    """The experiment as plain, resolved, secret-free data: what the manifest holds and workers get.

    Raises:
        ConfigError: an unknown key, a missing value, or a secret in the config.
    """
    if unknown := unknown_keys(cfg):
        raise ConfigError(f"unknown config key {unknown[0]!r}; `mma run --cfg job` prints all keys that exist")
    if missing := sorted(OmegaConf.missing_keys(cfg)):
        raise ConfigError(f"config key {missing[0]!r} has no value; give it on the command line: {missing[0]}=...")
    resolved: Any = OmegaConf.to_container(cfg, resolve=True)
    if leaks := secrets_in(resolved):
        raise ConfigError(f"config key {leaks[0]!r} holds a secret; name its environment variable instead of its value")
    return dict(resolved)
