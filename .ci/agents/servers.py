"""HTTPS servers on loopback: those that take tokens, and one that must see none."""

import base64
import http.server
import json
import os
import ssl
import subprocess
import threading


def make_certificate(folder):
    """A certificate for this machine that is its own authority, `authority.pem`, and its key."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=agents", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", "key.pem",
         "-out", "authority.pem"], cwd=folder, check=True, stderr=subprocess.DEVNULL)


class Server:
    """One server. What its answers are is said by `answer`, which subclasses have or a part sets."""

    def __init__(self, world, tls=True):
        self.world, self.seen = world, []
        # Called with each request of somebody who is let in.
        self.answer = lambda request: request.respond(404)
        handler = type("Handler", (Handler,), {"owner": self})
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.http.daemon_threads = True
        # A client that breaks off, or that speaks no TLS, is a client's matter.
        self.http.handle_error = lambda *_: None
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(os.path.join(world.folder, "authority.pem"), os.path.join(world.folder, "key.pem"))
            # A handshake is one connection's matter.
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.http.server_port
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.05,))
        self.thread.start()

    def stop(self):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


class Resource(Server):
    """A protected resource (RFC 9728). It answers whoever shows a token of the issuer that is for it, or an ID token for the
    audience that it knows."""

    def __init__(self, world, id_tokens_for=None):
        self.audience = id_tokens_for
        super().__init__(world)

    def takes(self, secret):
        if self.audience and secret.count(".") == 2:
            return self.world.claims(secret)["aud"] in (self.audience, [self.audience])
        return self.world.takes(secret, self.url)

    def handle(self, request):
        if request.path == "/.well-known/oauth-protected-resource":
            return request.json({
                "resource": self.url, "authorization_servers": [self.world.issuer],
                "scopes_supported": ["openid", "offline_access"]})
        secret = request.secret
        self.seen.append((request.path, secret))
        if not secret or not self.takes(secret):
            return request.respond(401, ("WWW-Authenticate", "Bearer"), ("WWW-Authenticate", 'Basic realm="here"'))
        return self.answer(request)


class Stranger(Server):
    """A server that no configuration names, and that asks everybody for a password."""

    def handle(self, request):
        self.seen.append((request.path, request.headers["Authorization"]))
        request.respond(401, ("WWW-Authenticate", "Bearer"), ("WWW-Authenticate", 'Basic realm="here"'))

    def take(self):
        """What it has seen since the last time: paths, and headers with credentials."""
        seen, self.seen = self.seen, []
        return [path for path, _ in seen], [header for _, header in seen if header]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # In seconds, for a connection that says nothing.
    timeout = 60

    def do_GET(self):
        length = self.headers["Content-Length"]
        self.body = self.chunks() if self.headers["Transfer-Encoding"] else self.rfile.read(int(length or 0))
        self.owner.handle(self)

    do_POST = do_HEAD = do_CONNECT = do_GET

    def chunks(self):
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    @property
    def secret(self):
        """The token of the header, also as the password of a name."""
        scheme, _, value = (self.headers["Authorization"] or "").partition(" ")
        if scheme == "Basic":
            return base64.b64decode(value).decode().partition(":")[2]
        return value if scheme == "Bearer" else ""

    def respond(self, status, *headers, body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def json(self, value, status=200):
        self.respond(status, ("Content-Type", "application/json"), body=json.dumps(value).encode())

    def log_message(self, *_):
        pass
