"""`identity git-credential` with git, a server of repositories, and repositories that lead elsewhere."""

import base64
import os
import subprocess
import urllib.parse

from servers import Server
from world import promise, require

REASON = "No provider of the configuration names"


def run(world):
    Git(world).run()


class Git:
    def __init__(self, world):
        self.world, self.named, self.stranger = world, world.git, world.stranger
        self.root, self.clones = world.path("repositories"), 0
        self.variables = {
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": "",
            "GIT_SSL_CAINFO": world.path("authority.pem"), "GIT_AUTHOR_NAME": "ada", "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_COMMITTER_NAME": "ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
        }
        self.named.answer = self.answer

    def git(self, *words, folder=None):
        return self.world.run("git", *words, folder=folder, **self.variables)

    def made(self, *words, folder=None):
        done = self.git(*words, folder=folder)
        require(done.returncode == 0, " ".join(words), done)
        return done.stdout.strip()

    def clone(self, address, *options):
        self.clones += 1
        folder = self.world.path(f"clone-{self.clones}")
        return self.git("clone", *options, address, folder), folder

    def repository(self, name, files):
        """A repository at the server that is named, with one commit."""
        bare, work = os.path.join(self.root, f"{name}.git"), os.path.join(self.root, f"{name}.work")
        self.made("init", "--quiet", "--bare", bare)
        self.made("config", "http.receivepack", "true", folder=bare)
        self.made("init", "--quiet", work)
        for path, text in files.items():
            with open(os.path.join(work, path), "w", encoding="utf-8") as file:
                file.write(text)
        self.made("add", "--all", folder=work)
        if ".gitmodules" in files:
            # A link to a commit, which the other repository would have.
            self.made("update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},module", folder=work)
        self.made("commit", "--quiet", "--message", "One", folder=work)
        self.made("push", "--quiet", bare, "HEAD:main", folder=work)
        self.made("symbolic-ref", "HEAD", "refs/heads/main", folder=bare)
        return f"{self.named.url}/{name}.git"

    def answer(self, request):
        """The program that git has for servers, or a redirect for paths that say where to."""
        path, _, query = request.path.partition("?")
        if path.startswith("/to/"):
            port = int(path.split("/")[2])
            return request.respond(302, ("Location", f"https://127.0.0.1:{port}/{path.split('/', 3)[3]}?{query}"))
        environment = self.world.environment | {
            "GIT_PROJECT_ROOT": self.root, "GIT_HTTP_EXPORT_ALL": "1", "GIT_CONFIG_NOSYSTEM": "1",
            "REQUEST_METHOD": request.command, "PATH_INFO": urllib.parse.unquote(path), "QUERY_STRING": query,
            "CONTENT_TYPE": request.headers["Content-Type"] or "", "CONTENT_LENGTH": str(len(request.body)),
            "HTTP_CONTENT_ENCODING": request.headers["Content-Encoding"] or "",
            "GIT_PROTOCOL": request.headers["Git-Protocol"] or "", "REMOTE_USER": "ada",
        }
        done = subprocess.run(["git", "http-backend"], env=environment, input=request.body, stdout=subprocess.PIPE)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        request.respond(int(headers.pop("Status", "200").split()[0]), *headers.items(), body=body)

    def gets_nothing(self, title, done, *, reason=REASON, by=None):
        """A server that no provider names was asked, has seen no credential, and the person learns why."""
        paths, credentials = (by or self.stranger).take()
        promise(title, paths and not credentials and done.returncode != 0 and reason in done.stderr, done, credentials)

    def run(self):
        self.made("config", "--global", "credential.helper", "!identity git-credential")
        self.made("config", "--global", "init.defaultBranch", "main")
        notes = self.repository("notes", {"note": "a note\n"})
        self.clones_and_pushes(notes)
        self.replaces_what_is_refused(notes)
        self.submodules()
        self.redirects()
        self.own_settings()
        self.odd_addresses()

    def clones_and_pushes(self, notes):
        done, folder = self.clone(notes)
        promise("git clones a repository of the server that the configuration names", done.returncode == 0, done)
        self.made("commit", "--quiet", "--allow-empty", "--message", "Two", folder=folder)
        done = self.git("push", folder=folder)
        promise("git pushes to it", done.returncode == 0, done)
        require(self.named.seen[0][1] == "", "git asks first without a password")
        done, _ = self.clone(f"{self.stranger.url}/notes.git")
        self.gets_nothing("a server that the configuration does not name gets no password", done)
        done, _ = self.clone(f"{self.world.plain.url}/notes.git")
        self.gets_nothing("a server over http gets no password", done, by=self.world.plain)

    def replaces_what_is_refused(self, notes):
        refused = self.world.token("git")
        self.world.revoke(refused)
        self.named.seen.clear()
        first, _ = self.clone(notes)
        second, _ = self.clone(notes)
        shown = {secret for _, secret in self.named.seen if secret}
        promise("a password that the server refuses is another one the next time",
                first.returncode != 0 and second.returncode == 0 and len(shown) == 2 and refused in shown, first, second)

    def submodules(self):
        places = {"another port": self.stranger.url, "another name of the machine": f"https://localhost:{self.stranger.port}"}
        for name, place in places.items():
            module = f'[submodule "module"]\n\tpath = module\n\turl = {place}/module.git\n'
            address = self.repository(f"super-{len(self.named.seen)}", {".gitmodules": module})
            done, _ = self.clone(address, "--recurse-submodules")
            self.gets_nothing(f"a submodule at {name} gets no password", done)

    def redirects(self):
        done, _ = self.clone(f"{self.named.url}/to/{self.stranger.port}/notes.git")
        self.gets_nothing("a redirect of the named server, after the password, takes none along", done, reason="fatal")
        require(any(path.startswith("/to/") and secret for path, secret in self.named.seen), "There was a password before.")
        gate = self.world.add(Server(self.world))
        gate.handle = self.answer
        done, _ = self.clone(f"{gate.url}/to/{self.stranger.port}/notes.git")
        self.gets_nothing("a redirect to a server that no provider names gets no password", done)
        done, _ = self.clone(f"{gate.url}/to/{self.named.port}/notes.git")
        promise("a redirect to the named server gets the password there, and nowhere else", done.returncode == 0, done)

    def own_settings(self):
        stolen = self.world.path("stolen")
        hostile = f'[credential]\n\thelper = "!cat >>{stolen}; true"\n'
        hostile += f'[url "{self.stranger.url}/"]\n\tinsteadOf = {self.named.url}/\n'
        address = self.repository("settings", {".gitconfig": hostile})
        done, folder = self.clone(address)
        require(done.returncode == 0, "the repository is cloned", done)
        done = self.git("fetch", folder=folder)
        promise("credential settings in a file of a repository have no effect",
                done.returncode == 0 and not os.path.exists(stolen) and not self.stranger.take()[0], done)
        self.made("config", f"url.{self.stranger.url}/.insteadOf", f"{self.named.url}/", folder=folder)
        done = self.git("fetch", folder=folder)
        self.gets_nothing("a rule that gives the named server's address to another one takes no password there", done)
        self.made("config", "credential.username", "oauth2", folder=folder)
        self.made("config", "credential.useHttpPath", "true", folder=folder)
        done = self.git("fetch", folder=folder)
        self.gets_nothing("a user name and a path that are asked for change nothing", done)

    def odd_addresses(self):
        named, foreign = self.named.port, f"127.0.0.1:{self.stranger.port}"
        known = {self.world.token("git")}
        for address in (
            f"https://{foreign}%0ahost=127.0.0.1:{named}/notes.git",
            f"https://{foreign}/%0ahost=127.0.0.1:{named}%0a/notes.git",
            f"https://{foreign}/notes.git%0ahost=127.0.0.1:{named}",
            f"https://127.0.0.1:{named}%2f@{foreign}/notes.git",
            f"https://127.0.0.1:{named}%0a@{foreign}/notes.git",
            f"https://127.0.0.1:{named}%00@{foreign}/notes.git",
            f"https://user@{foreign}/..%2f..%2f127.0.0.1:{named}/notes.git",
            f"https://{foreign}%2f127.0.0.1:{named}/notes.git",
            f"https://{foreign}?127.0.0.1:{named}/notes.git",
            f"https://{foreign}#@127.0.0.1:{named}/notes.git",
            f"https://127%2e0.0.1:{self.stranger.port}/notes.git",
            f"https://127.1:{self.stranger.port}/notes.git",
            f"https://0x7f000001:{self.stranger.port}/notes.git",
        ):
            done, _ = self.clone(address)
            _, credentials = self.stranger.take()
            # A name and a password of the address itself are its own.
            shown = " ".join(map(decoded, credentials))
            known.add(self.world.token("git"))
            require(done.returncode != 0 and not any(token in shown for token in known), address, done, credentials)
        promise("addresses with line breaks, percent signs and names in front get no password of the store", True)


def decoded(header):
    value = header.partition(" ")[2]
    return base64.b64decode(value).decode(errors="replace") if header.startswith("Basic") else value
