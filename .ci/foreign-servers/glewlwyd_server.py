"""Glewlwyd on loopback: it takes pushed authorization requests alone, and binds every token to a key. One of its issuers
signs by RS256, and one by EdDSA.

It has no client but those that register themselves. Its sign-in page is a program in the browser, so a test signs in by
the requests that the page makes.
"""

import atexit
import http.cookiejar
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

import common

SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"

# The port is free between these two lines for a moment only.
listener, base = common.listening_socket()
port = listener.getsockname()[1]
listener.close()

folder = tempfile.TemporaryDirectory()
database = os.path.join(folder.name, "glewlwyd.db")
with open(SCHEMA, encoding="utf-8") as schema:
    sqlite3.connect(database).executescript(schema.read())

configuration = os.path.join(folder.name, "glewlwyd.conf")
with open(configuration, "w", encoding="utf-8") as file:
    file.write(
        f"""port={port}
bind_address="127.0.0.1"
external_url="{base}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="INFO"
cookie_secure=0
session_key="session"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database = {{ type = "sqlite3"; path = "{database}"; }};
"""
    )


KINDS = {"rsa": ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], "eddsa": ["ED25519"]}


def key_pair(kind):
    private = subprocess.run(
        ["openssl", "genpkey", "-algorithm", *KINDS[kind]], check=True, capture_output=True
    ).stdout
    public = subprocess.run(["openssl", "pkey", "-pubout"], input=private, check=True, capture_output=True).stdout
    return private.decode(), public.decode()


def plugin(kind):
    private, public = key_pair(kind)
    return {
        "iss": base + "/api/" + kind,
        "jwt-type": kind,
        "jwt-key-size": "256",
        "key": private,
        "cert": public,
        "jwks-show": True,
        "subject-type": "public",
        "oauth-as-iss-id": True,
        "code-duration": 600,
        "access-token-duration": 3600,
        "refresh-token-duration": 1209600,
        "refresh-token-rolling": True,
        "refresh-token-one-use": "always",
        "allow-non-oidc": True,
        "auth-type-code-enabled": True,
        "auth-type-code-revoke-replayed": True,
        "auth-type-token-enabled": False,
        "auth-type-id-token-enabled": False,
        "auth-type-none-enabled": False,
        "auth-type-password-enabled": False,
        "auth-type-client-enabled": False,
        "auth-type-device-enabled": False,
        "auth-type-refresh-enabled": True,
        "pkce-allowed": True,
        "pkce-required": True,
        "pkce-method-plain-allowed": False,
        "introspection-revocation-allowed": True,
        "introspection-revocation-auth-scope": [],
        "introspection-revocation-allow-target-client": True,
        "register-client-allowed": True,
        "register-client-auth-scope": [],
        "register-client-credentials-scope": [],
        "register-client-management-allowed": True,
        "oauth-dpop-allowed": True,
        "oauth-dpop-iat-duration": 300,
        "oauth-dpop-nonce-mandatory": True,
        "oauth-dpop-nonce-counter": 10,
        "oauth-par-allowed": True,
        "oauth-par-required": True,
        "oauth-par-duration": 90,
        "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
        "name-claim": "mandatory",
        "email-claim": "mandatory",
        "scope-claim": "no",
    }


server = subprocess.Popen(["glewlwyd", "--config-file", configuration])


@atexit.register
def stop():
    server.terminate()
    server.wait()
    folder.cleanup()


# The handler itself cannot wait: the program may be waiting already, which is no place for a second one.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def post(path, body):
    request = urllib.request.Request(
        base + path, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )
    opener.open(request).close()


for attempt in range(100):
    try:
        post("/api/auth/", {"username": "admin", "password": "password"})
        break
    except OSError:
        time.sleep(0.1)
for kind in KINDS:
    post("/api/mod/plugin/", {"module": "oidc", "name": kind, "display_name": kind, "parameters": plugin(kind)})
post(
    "/api/user/",
    {
        "username": common.USER["username"],
        "password": common.USER["password"],
        "name": "Ada Lovelace",
        "email": common.USER["email"],
        "scope": ["openid", "g_profile"],
        "enabled": True,
    },
)
common.write({"address": base, "user": common.USER, "redirectURI": common.REDIRECT_URI})
server.wait()
