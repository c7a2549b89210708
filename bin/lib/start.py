"""Prepare the database, print the one-time URL and serve, in one process so that a second run starts at once.

The order matters: the port is tried before anything is printed, and the browser is opened only when /livez
answers, so that nobody is sent to a page that is not there.
"""

import argparse
import os
import socket
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


def check_port(host: str, port: int) -> None:
    """Exit with one clear line when the address cannot be bound."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        sys.exit(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another: bin/chat --port {port + 1}"
        )


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
    check_port(options.host, options.port)
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatsite.settings")

    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
    token = StringIO()
    call_command("entry_token", stdout=token)
    shown_host = "127.0.0.1" if options.host in ("0.0.0.0", "::") else options.host  # noqa: S104
    if ":" in shown_host:
        shown_host = f"[{shown_host}]"
    base = f"http://{shown_host}:{options.port}"
    url = base + token.getvalue().strip()
    print(
        f"\nOpen {url}\n(The link logs you in once. Run bin/chat again for a new one. Ctrl-C stops.)\n",
        flush=True,
    )
    if not options.no_open:
        threading.Thread(target=open_when_alive, args=(base, url), daemon=True).start()
    call_command("serve", host=options.host, port=options.port)


if __name__ == "__main__":
    main()
