"""Starts the hook client or the relay from its compiled form: the file that Python is given itself
is compiled anew at every start, which takes longer than the rest of a hook."""

import sys

if __name__ == "__main__":
    sys.path.insert(0, __file__.replace("\\", "/").rpartition("/")[0])
    if "mcp" in sys.argv[1:6]:
        import relay  # type: ignore[import-not-found]  # found beside this file

        relay.main()
    else:
        import client  # type: ignore[import-not-found]  # found beside this file

        client.main()
