"""Where events arrive: switched off? told before? then recorded. Start reading at `intake.py`."""
