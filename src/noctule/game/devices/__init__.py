"""Input: keyboard, mouse and gamepad become `Controls` and actions."""
