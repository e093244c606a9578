"""What the foreign servers share: users, clients, and the file for the tests."""

import json
import os
import socket
import sys

USER = {"username": "ada", "password": "Enchantress-1!", "email": "ada@example.org"}
PUBLIC_CLIENT = {"client_id": "swift-app", "token_endpoint_auth_method": "none"}
CONFIDENTIAL_CLIENT = {
    "client_id": "swift-service",
    # Servers disagree on how to decode anything else in HTTP Basic.
    "client_secret": "a-secret-that-needs-no-encoding",
    "token_endpoint_auth_method": "client_secret_basic",
}
REDIRECT_URI = "http://127.0.0.1:8912/callback"
POST_LOGOUT_REDIRECT_URI = "http://127.0.0.1:8912/signed-out"


def listening_socket():
    """A socket on an ephemeral port of the loopback interface, so that the issuer is known before the server is."""
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


def describe(name, issuer, answers, **more):
    """Writes what a test needs to know to the file named by the only argument; the file appears when all of it is there.

    `answers` maps the names of form fields and buttons to what a person fills in or presses, page after page.
    """
    description = {
        "name": name,
        "issuer": issuer,
        "process": os.getpid(),
        "user": USER,
        "publicClient": PUBLIC_CLIENT,
        "confidentialClient": CONFIDENTIAL_CLIENT,
        "redirectURI": REDIRECT_URI,
        "postLogoutRedirectURI": POST_LOGOUT_REDIRECT_URI,
        "answers": answers,
    } | more
    write(description)


def write(description):
    """Writes a description to the file named by the only argument; the file appears when all of it is there."""
    path = sys.argv[1]
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(description, file, indent=2)
    os.rename(path + ".part", path)
