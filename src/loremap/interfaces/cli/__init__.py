"""The command line, a thin shell over the façade. A resident answers what it can; only without one
is the rest of the program loaded."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: "Sequence[str] | None" = None) -> None:
    """Run `lore`: asked of the resident where one answers, else in this process."""
    from loremap.interfaces.cli import thin

    if arguments is None:
        arguments = thin.ended_or_left()
    from loremap.interfaces.cli.app import main as run

    run(arguments)
