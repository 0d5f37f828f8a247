"""What a hook answers with while no process of ours runs. Start reading at `follow.py`."""
