"""A network cable between browser and app that a test can pull: a TCP relay."""

import contextlib
import socket
import threading


class Cable:
    """Listens on its own port and relays to the app's. `pull()` cuts every connection; `plug()` mends it."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._whole = True
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def pull(self) -> None:
        """Cut all connections, and every new one."""
        with self._lock:
            self._whole = False
            for one in self._sockets:
                self._close(one)
            self._sockets.clear()

    def plug(self) -> None:
        """Let connections through again."""
        with self._lock:
            self._whole = True

    def remove(self) -> None:
        """Stop listening."""
        self.pull()
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            with self._lock:
                whole = self._whole
            if not whole:
                self._close(near)
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                self._close(near)
                continue
            with self._lock:
                self._sockets |= {near, far}
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=ends, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for one in (source, sink):
            self._close(one)
        with self._lock:
            self._sockets -= {source, sink}

    @staticmethod
    def _close(one: socket.socket) -> None:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            one.close()
