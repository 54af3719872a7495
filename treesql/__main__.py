"""The command line, run as `treesql` or `python -m treesql`."""

import signal


def run() -> None:
    """Run the command line. Ctrl-C ends the process without a traceback while it is imported, too."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from treesql.cli import main

    main()


if __name__ == "__main__":
    run()
