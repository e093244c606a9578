"""One playing of a scenario: its servers, what they saw the client do, and the verdict."""

import secrets
import threading

from . import web


class Checks:
    """What was checked, in order. The statuses are the suite's: SUCCESS, FAILURE, WARNING, SKIPPED, INFO."""

    def __init__(self, entries=()):
        self.entries = list(entries)

    def add(self, name, status, description, /, **details):
        self.entries.append({"id": name, "status": status, "description": description, "details": details})

    def judge(self, name, passed, description, otherwise="FAILURE", /, **details):
        self.add(name, "SUCCESS" if passed else otherwise, description, **details)

    def note(self, name, /, **details):
        self.add(name, "INFO", "", **details)

    def named(self, name):
        return [entry for entry in self.entries if entry["id"] == name]

    def has(self, *names):
        return any(entry["id"] in names for entry in self.entries)

    def require(self, *names):
        """Fails every check that never came about."""
        for name in names:
            if not self.has(name):
                self.add(name, "FAILURE", "It never came to that.")


class Playing:
    def __init__(self, name, version):
        self.name, self.version = name, version
        self.checks = Checks()
        self.context = {}
        self.address = None
        self.ends = []
        self.tokens = {}
        self.lock = threading.RLock()
        self.origins = []

    @property
    def is_stateless(self):
        return self.version >= "2026-07-28"

    def origin(self, kind="auth-"):
        def seen(request, answer):
            self.checks.note(
                f"outgoing-{kind}response", method=request.method, path=request.path, status=answer.status,
                message=request.json.get("method"),
            )

        origin = web.Origin(self.lock, seen)
        self.origins.append(origin)
        return origin

    def issue(self, scopes, prefix="test-token-", binding=None, token=None):
        """A token that the resource will know."""
        token = token or prefix + secrets.token_hex(8)
        self.tokens[token] = (scopes, binding)
        return token

    def at_end(self, judge):
        """Adds what can be judged only when the client is done: `judge` gets the checks to add to."""
        self.ends.append(judge)

    def report(self):
        with self.lock:
            checks = Checks(self.checks.entries)
            for judge in self.ends:
                judge(checks)
            return checks.entries

    def close(self):
        for origin in self.origins:
            origin.close()
