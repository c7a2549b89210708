"""Prepare the database, print the one-time URL and serve, in one process so that a second run starts at once.

The order matters: the port is tried before anything is printed, and the browser is opened only when /livez
answers, so that nobody is sent to a page that is not there.
"""

import argparse
import os
import sys
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def arguments() -> argparse.Namespace:
    """The command line of bin/chat."""
    parser = argparse.ArgumentParser(prog="bin/chat", description="Start the chat and print the URL to open.")
    parser.add_argument("--port", type=int, default=8000, help="TCP port to listen on (default 8000)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    return parser.parse_args()


def open_when_alive(base: str, url: str) -> None:
    """Open `url` in a browser once the server answers; give up silently after 20 s (the URL is printed)."""
    for _ in range(200):
        try:
            with urllib.request.urlopen(base + "/livez", timeout=1):  # noqa: S310 - our own loopback address
                break
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    else:
        return
    webbrowser.open(url)


def main() -> None:
    """Migrate, print the URL with its one-time token, serve until stopped."""
    options = arguments()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatsite.settings")
    os.environ.setdefault("MODEL_TITLES", "1")

    import django
    from django.core.management import CommandError

    django.setup()
    try:
        start(options.host, options.port, open_browser=not options.no_open)
    except CommandError as error:
        sys.exit(str(error))


def start(host: str, port: int, open_browser: bool) -> None:
    """The steps in order. Raises CommandError, one line, when the address cannot be had."""
    from django.core.management import call_command

    from chatsite.chats.management.commands.serve import free_port

    port = free_port(host, port)
    call_command("migrate", verbosity=0, interactive=False)
    token = StringIO()
    call_command("entry_token", stdout=token)
    shown_host = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104
    if ":" in shown_host:
        shown_host = f"[{shown_host}]"
    base = f"http://{shown_host}:{port}"
    url = base + token.getvalue().strip()
    print(f"\nOpen {url}")
    print("(The link logs you in once. Run bin/chat again for a new one. Ctrl-C stops.)\n", flush=True)
    if open_browser:
        threading.Thread(target=open_when_alive, args=(base, url), daemon=True).start()
    call_command("serve", host=host, port=port)


if __name__ == "__main__":
    main()
