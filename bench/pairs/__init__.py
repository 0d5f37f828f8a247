"""What becomes of a new statement beside an old one."""
