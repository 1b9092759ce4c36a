"""The experiment as Hydra groups. A package only so that the YAML files travel with the installed code."""
