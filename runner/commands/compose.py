"""Composes an experiment from overrides for the commands that are not `mma run`."""

from __future__ import annotations

from typing import Any

from runner.config import ConfigError, first_folder, plain, register


def experiment_of(overrides: list[str]) -> dict[str, Any]:
    """The plain experiment that these overrides compose; `--config-dir FOLDER` among them is looked in first.

    Raises:
        ConfigError: an override that does not exist or does not fit, in one line.
    """
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from runner.commands.run import one_line

    register()
    folder, overrides = first_folder(overrides)
    try:
        with initialize_config_dir(str(folder), version_base="1.3"):
            return plain(compose("config", overrides=overrides))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(one_line(error)) from None
