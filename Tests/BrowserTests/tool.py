"""The command-line tool as a person uses it: `identity serve` in the background, `identity login` with a browser."""

import json
import os
import pathlib
import select
import signal
import stat
import subprocess
import tempfile

TOOL = os.environ["IDENTITY_TOOL"]

# In seconds: how long a test waits for something that may never happen, and more on a busy machine.
PATIENCE = 600 * max(1, os.getloadavg()[0] / os.cpu_count())


def ending(process, name):
    """What a process has said when it has ended; one that does not end fails the test instead of holding it up."""
    try:
        return process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
        raise AssertionError(f"{name} did not end: {errors}") from None


class Home:
    """A home folder of its own, so that nothing of the machine's is used or changed."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="identity-browser-tests-")
        self.path = pathlib.Path(self._folder.name)
        # The program that the tool takes for the browser writes the address to the pipe.
        self._pipe = self.path / "opened"
        os.mkfifo(self._pipe)
        self._browser = self.path / "browser"
        self._browser.write_text(f'#!/bin/sh\nprintf %s "$1" >"{self._pipe}"\n', encoding="utf-8")
        self._browser.chmod(self._browser.stat().st_mode | stat.S_IXUSR)

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LD_LIBRARY_PATH")}
        return kept | {
            "HOME": str(self.path),
            "XDG_CONFIG_HOME": str(self.path / "config"),
            "XDG_DATA_HOME": str(self.path / "data"),
            "XDG_STATE_HOME": str(self.path / "state"),
            "TMPDIR": str(self.path),
            "BROWSER": str(self._browser),
            "NO_COLOR": "1",
        }

    def start(self, *arguments):
        return subprocess.Popen(
            [TOOL, *arguments],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments, input=""):
        """Runs a command to its end and returns its output; a failure is the test's."""
        done = subprocess.run(
            [TOOL, *arguments], env=self.environment(), input=input, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise AssertionError(f"identity {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def opened_by(self, process):
        """The address that a command opens in the browser; waits for it as long as the command runs."""
        with open(os.open(self._pipe, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as pipe:
            while not select.select([pipe], [], [], 0.2)[0]:
                if process.poll() is not None:
                    raise AssertionError(f"the command ended with {process.returncode}: {process.stderr.read()}")
            os.set_blocking(pipe.fileno(), True)
            return pipe.read()

    def remove(self):
        self._folder.cleanup()


class Serve:
    """`identity serve` with a configuration that signs in at the browser."""

    def __init__(self, home):
        self.home = home
        self.configuration = home.path / "identity.json"
        self._process = home.start("serve", "--configuration", str(self.configuration))
        # What it announces first ends with an empty line; the configuration is there by then.
        self.addresses = {}
        for line in iter(self._process.stdout.readline, "\n"):
            if not line:
                raise AssertionError(f"identity serve did not start: {self._process.stderr.read()}")
            name, rest = line.split("  ", 1)
            self.addresses[name] = rest.split()[0]
        document = json.loads(self.configuration.read_text(encoding="utf-8"))
        self.settings = {provider["name"]: provider["settings"] for provider in document["providers"]}
        self.settings["thunderid"] |= {"signIn": "redirect", "redirectURI": "http://127.0.0.1:9999/callback"}
        self.settings["insforge"] |= {
            "signIn": "oauth",
            "oauthProvider": "google",
            "redirectURI": "http://127.0.0.1/callback",
        }
        document["store"]["folder"] = str(home.path / "store")
        self.configuration.write_text(json.dumps(document), encoding="utf-8")

    def stop(self):
        self._process.send_signal(signal.SIGINT)
        output, errors = ending(self._process, "identity serve")
        if self._process.returncode != 0:
            raise AssertionError(f"identity serve ended with {self._process.returncode}: {errors}")
        return output


class Login:
    """`identity login` while it waits for the browser."""

    def __init__(self, serve, provider, *arguments):
        self._serve = serve
        self._process = serve.home.start(
            "login",
            "--config",
            str(serve.configuration),
            "--provider",
            provider,
            "--timeout",
            str(int(PATIENCE)),
            *arguments,
        )

    def opened(self):
        """The address it opens in the browser."""
        return self._serve.home.opened_by(self._process)

    def lines(self):
        """What it says to the person, line after line."""
        for line in self._process.stderr:
            yield line.rstrip("\n")

    def finish(self):
        """Its status, its output and what it said in the end."""
        output, errors = ending(self._process, "identity login")
        return self._process.returncode, output, errors

    def finish_if_running(self):
        """Ends it when a test did not get that far."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.communicate()
        for stream in (self._process.stdout, self._process.stderr):
            stream.close()


def whoami(serve):
    """The account that is signed in."""
    return json.loads(serve.home.run("whoami", "--json", "--config", str(serve.configuration)))


def token(serve):
    """An access token of the account that is signed in."""
    return serve.home.run("token", "--config", str(serve.configuration)).strip()
