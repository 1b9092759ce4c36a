"""Composes an experiment from overrides for the commands that are not `mma run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from runner.config import ConfigError, plain, register


def experiment_of(overrides: list[str]) -> dict[str, Any]:
    """The plain experiment that these overrides compose.

    Raises:
        ConfigError: an override that does not exist or does not fit, in one line.
    """
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    import conf
    from runner.commands.run import one_line

    register()
    folder = os.path.abspath(Path(str(conf.__file__)).parent)
    try:
        with initialize_config_dir(folder, version_base="1.3"):
            return plain(compose("config", overrides=overrides))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(one_line(error)) from None
