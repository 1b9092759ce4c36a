"""One module per command of `mma`, each with `main(arguments) -> exit code`."""
