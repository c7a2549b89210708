"""Upstreams: from the stored conversation to one HTTP request, and its bytes back.

One request builder per wire, an HTTP client that knows nothing of wires, a registry that reads which
upstreams are configured, and a demo upstream that speaks real HTTP on loopback.
"""
