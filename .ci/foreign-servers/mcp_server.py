"""A server of the Model Context Protocol that issues its own tokens, everything in memory, with one tool.

SIGHUP restarts it, which loses the clients that have registered, and their tokens.
"""

import os
import signal
import socket
import subprocess
import sys
import time

import common


def serve(port):
    from fastmcp import FastMCP
    from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
    from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions

    scopes = ["notes:read"]
    auth = InMemoryOAuthProvider(
        base_url=f"http://127.0.0.1:{port}",
        required_scopes=scopes,
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=scopes, default_scopes=scopes),
        revocation_options=RevocationOptions(enabled=True),
    )
    server = FastMCP("notes", auth=auth)

    @server.tool
    def add(one: int, other: int) -> int:
        """Adds two numbers."""
        return one + other

    server.run(transport="http", host="127.0.0.1", port=port, path="/mcp", show_banner=False, log_level="warning")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def start(port):
    child = subprocess.Popen([sys.executable, "-B", __file__, "--serve", str(port)])
    while not accepts(port):
        if child.poll() is not None:
            sys.exit(child.returncode)
        time.sleep(0.05)
    return child


def supervise():
    port = free_port()
    child = start(port)

    def restart(*_):
        nonlocal child
        child.terminate()
        child.wait()
        child = start(port)

    def stop(*_):
        child.terminate()
        child.wait()
        sys.exit(0)

    signal.signal(signal.SIGHUP, restart)
    signal.signal(signal.SIGTERM, stop)
    common.write({"resource": f"http://127.0.0.1:{port}/mcp", "process": os.getpid()})
    while True:
        signal.pause()


if sys.argv[1] == "--serve":
    serve(int(sys.argv[2]))
else:
    supervise()
