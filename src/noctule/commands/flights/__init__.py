"""What `noctule fly` and `noctule replay` share: recordings, and flights of fleets."""
