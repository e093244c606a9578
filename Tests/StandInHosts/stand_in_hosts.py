"""Hosts of the documentation, such as id.example.com, for one test on this machine.

    stand_in_hosts.py FOLDER https://id.example.com=http://127.0.0.1:1234 ...

Listens on a port of 127.0.0.1 as a proxy for https, prints the port, and ends with its standard input. A connection to one
of the hosts is answered here with a certificate of FOLDER/ca.pem, and its requests go to the address behind the equals
sign; every address in them and in their responses is translated. A host that is not named is refused with 502. FOLDER/log
has a line for each connection.
"""

import http.client
import http.server
import os
import ssl
import subprocess
import sys
import threading
import urllib.parse

folder = sys.argv[1]
places = [argument.split("=", 1) for argument in sys.argv[2:]]
hosts = {urllib.parse.urlsplit(public).hostname: (public, local) for public, local in places}


def translate(text, back):
    """Every address in a text, as it is, in a form or in JSON."""
    pairs = [(local, public) if back else (public, local) for public, local in places]
    # An address may begin with another one.
    for old, new in sorted(pairs, key=lambda pair: -len(pair[0])):
        for spelled in (str, lambda word: urllib.parse.quote(word, safe=""), lambda word: word.replace("/", "\\/")):
            text = text.replace(spelled(old).encode(), spelled(new).encode())
    return text


def openssl(*words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def certify():
    """A certificate of its own for all hosts, which is its own authority."""
    names = ",".join("DNS:" + host for host in hosts)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
            "-subj", "/CN=stand-in", "-addext", "subjectAltName=" + names, "-keyout", "key.pem", "-out", "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "ca.pem"), os.path.join(folder, "key.pem"))
    return context


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    host = None

    def do_CONNECT(self):
        host = self.path.split(":")[0]
        with open(os.path.join(folder, "log"), "a") as log:
            log.write(host + "\n")
        if host not in hosts:
            return self.send_error(502)
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb")
        self.host = host

    def forward(self):
        public, local = hosts[self.host]
        base = urllib.parse.urlsplit(local)
        path, own = self.path, urllib.parse.urlsplit(public).path
        if own:
            path = path.replace(own, base.path, 1)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fields = {name: translate(value.encode(), False).decode() for name, value in self.headers.items()
                  if name.lower() not in ("host", "content-length", "connection", "accept-encoding")}
        upstream = http.client.HTTPConnection(base.hostname, base.port)
        upstream.request(self.command, translate(path.encode(), False).decode(), translate(body, False) or None, fields)
        response = upstream.getresponse()
        content = translate(response.read(), True)
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                self.send_header(name, translate(value.encode(), True).decode())
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()
        upstream.close()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = forward

    def log_message(self, *words):
        pass


context = certify()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
