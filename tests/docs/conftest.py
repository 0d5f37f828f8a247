"""The example project of the docs has tests of its own, which are not ours."""

collect_ignore = ["fixtures"]
