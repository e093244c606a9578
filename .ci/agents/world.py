"""An identity server, a person who signs in, and servers that take her tokens."""

import base64
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "examples"))

from browser import Browser
from servers import Resource, Stranger, make_certificate

SECRET = "secret-of-the-servers"
CLIENT = "cli"
CALLBACK = "http://127.0.0.1/callback"
# In seconds, for one program.
LONGEST = 120


class World:
    """All servers, and the environment that programs run in. Each server ends with it."""

    def __init__(self, tool, programs, folder):
        self.programs, self.folder = programs, folder
        self.servers, self.serving = [], None
        self.environment = {
            "PATH": f"{self.path('bin')}:{os.environ['PATH']}", "HOME": self.path("home"), "LANG": "C.UTF-8",
            "NO_PROXY": "*", "TMPDIR": self.path("tmp"), "XDG_RUNTIME_DIR": self.path("runtime"),
            "IDENTITY_CONFIG": self.path("identity.json"), "SSL_CERT_FILE": self.path("authority.pem"),
        }
        for name in ("bin", "home", "tmp", "runtime"):
            os.mkdir(self.path(name), 0o700)
        os.symlink(tool, self.path("bin/identity"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def __enter__(self):
        try:
            make_certificate(self.folder)
            self.issuer = self.start_issuer()
            self.git, self.cluster = self.add(Resource(self)), self.add(Resource(self, id_tokens_for=CLIENT))
            self.stranger, self.plain = self.add(Stranger(self)), self.add(Stranger(self, tls=False))
            self.configure()
            for provider in ("git", "cluster", "cloud"):
                self.sign_in(provider)
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for server in self.servers:
            server.stop()
        if self.serving:
            self.serving.terminate()
            self.serving.wait(LONGEST)

    def add(self, server):
        self.servers.append(server)
        return server

    def write(self, name, content, mode=0o600):
        """Writes a text, or a value as JSON. Returns the path."""
        text = content if isinstance(content, str) else json.dumps(content)
        with open(os.open(self.path(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def start_issuer(self):
        people = self.write("people.json", {
            "users": [{"username": "ada", "password": "Enchantress-1"}],
            "oidc": {"clients": [{"clientID": CLIENT, "redirectURIs": [CALLBACK]},
                                 {"clientID": "servers", "clientSecret": SECRET, "redirectURIs": [CALLBACK]}]},
        })
        words = ["identity", "serve", "--json", "--users", people]
        words += [word for name in ("thunderid", "insforge", "oidc", "dashboard") for word in (f"--{name}-port", "0")]
        self.serving = subprocess.Popen(
            words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        text = ""
        for line in self.serving.stdout:
            text += line
            if line == "}\n":
                return json.loads(text)["servers"]["oidc"]["url"]
        raise AssertionError(f"identity serve does not start: {self.serving.stderr.read()}")

    def configure(self, others=None):
        """Writes the configuration, with `others` as protected resources beside the usual ones, by their names."""
        common = {"clientID": CLIENT, "redirectURI": CALLBACK, "allowsLoopbackHTTP": True}
        scopes = {"scopes": ["openid", "offline_access"]}
        self.write("identity.json", {
            "providers": [
                {"name": "git", "type": "protected-resource", "settings": common | {"resource": self.git.url}},
                {"name": "cluster", "type": "protected-resource",
                 "settings": common | scopes | {"resource": self.cluster.url}},
                {"name": "cloud", "type": "openid-connect", "settings": common | scopes | {"issuer": self.issuer}},
                *({"name": name, "type": "protected-resource", "settings": common | {"resource": server.url}}
                  for name, server in (others or {}).items()),
            ],
            "store": {"type": "file", "folder": self.path("store"), "key": {"home": "keyFile", "path": self.path("key")}},
        })

    def sign_in(self, provider):
        """Signs in as the person at a browser does."""
        words = ["identity", "login", "--provider", provider, "--no-browser", "--timeout", str(LONGEST)]
        with subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            said = ""
            for line in process.stderr:
                said += line
                if found := re.fullmatch(r" +(http\S+)\n", line):
                    Browser("ada", "Enchantress-1").sign_in(found[1])
            if process.wait(LONGEST) != 0:
                raise AssertionError(f"Signing in with {provider} fails: {said}")

    def run(self, *words, folder=None, **variables):
        """Runs a program. Returns its status, output and errors."""
        return subprocess.run(
            words, env=self.environment | variables, cwd=folder or self.folder, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LONGEST)

    def token(self, account, *options):
        done = self.run("identity", "token", "--account", account, *options)
        require(done.returncode == 0, f"{account} has a token", done)
        return done.stdout.strip()

    def revoke(self, token):
        self.post("/revoke", {"token": token, "client_id": CLIENT})

    def takes(self, token, resource):
        """Whether the issuer says that a token is good and for this resource (RFC 7662)."""
        pair = base64.b64encode(f"servers:{SECRET}".encode()).decode()
        answer = json.loads(self.post("/introspect", {"token": token}, Authorization=f"Basic {pair}"))
        return answer["active"] and resource in answer.get("aud", [])

    def claims(self, token):
        """What an ID token says, which the issuer has to have signed."""
        done = subprocess.run(
            [self.programs.python, "-B", os.path.join(HERE, "id_token_claims.py"), self.issuer], input=token,
            capture_output=True, text=True, timeout=LONGEST)
        require(done.returncode == 0, "The issuer has signed the ID token.", done)
        return json.loads(done.stdout)

    def post(self, path, form, **headers):
        body = urllib.parse.urlencode(form).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(self.issuer + path, body, headers), timeout=LONGEST) as response:
            return response.read()


def promise(text, holds, *details):
    """Prints a promise that is kept."""
    require(holds, text, *details)
    print(f"ok: {text}", flush=True)


def require(holds, text, *details):
    if not holds:
        raise AssertionError("\n".join([text, *map(str, details)]))
