"""``python -m swapregret``: the same as the command ``swapregret``."""

from swapregret.cli import app

if __name__ == "__main__":
    app(prog_name="swapregret")
