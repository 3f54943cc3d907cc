"""The commands of `noctule`, one file each; `noctule.cli` imports a command when it is called."""
