"""Tools of MCP servers (Model Context Protocol), by the official SDK.

The SDK is imported only when a server is configured, in a thread: it takes a second or more.
"""
