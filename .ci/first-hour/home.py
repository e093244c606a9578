"""An empty home and what somebody does in it: everything they start ends with them."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

# In seconds: how long a command may take, and more on a busy machine.
PATIENCE = 900 * max(1, os.getloadavg()[0] / os.cpu_count())

URL = subprocess.run(
    [pathlib.Path(__file__).resolve().parent.parent / "address"], capture_output=True, text=True, check=True).stdout.strip()


class Failure(Exception):
    pass


class Home:
    """A temporary folder with nothing but `home`, `work` and the programs `git` and `swift` need.

    The package is not published yet, so Git takes its address for what `.ci/published` makes of this checkout.
    """

    def __init__(self, root):
        self.root = root
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="newcomer-"))
        self.home, self.work, self.programs = (self.folder / name for name in ("home", "work", "bin"))
        for folder in (self.home, self.work, self.programs, self.folder / "tmp"):
            folder.mkdir()
        self.started = []
        self.publish()

    def publish(self):
        published = self.folder / "published"
        published.mkdir()
        self.quietly([str(self.root / ".ci" / "published"), str(published)], self.work)
        self.quietly(["git", "config", "--global", f"url.file://{published}.insteadOf", URL], self.work)

    @property
    def environment(self):
        swift = os.path.dirname(shutil.which("swift") or "")
        return {
            "HOME": str(self.home), "TMPDIR": str(self.folder / "tmp"), "BROWSER": "a-person",
            "PATH": ":".join([str(self.programs), swift, "/usr/local/bin", "/usr/bin", "/bin"]),
        }

    def program(self, name, script):
        file = self.programs / name
        file.write_text("#!/bin/sh\n" + script + "\n")
        file.chmod(0o755)

    def quietly(self, words, folder):
        done = subprocess.run(words, cwd=folder, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"{' '.join(words)}: {done.stderr}")

    def run(self, line, folder, variables=None, input=None):
        """Runs a command line in a shell.

        Returns what it prints, and the folder that it has changed to.
        """
        print(f"    $ {line}", flush=True)
        process = self.start(line + '\nstatus=$?; pwd >"$HOME/.folder"; exit $status', folder, variables, input)
        try:
            output, _ = process.communicate(input, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure(f"{line}\nIt has not ended within {PATIENCE:.0f} seconds.")
        if process.returncode:
            raise Failure(f"{line}\nIt has ended with {process.returncode}:\n{output[-6000:]}")
        return output, pathlib.Path((self.home / ".folder").read_text().strip())

    def start(self, line, folder, variables=None, input=None):
        process = subprocess.Popen(
            ["/bin/sh", "-c", line], cwd=folder, env=self.environment | (variables or {}), text=True,
            stdin=subprocess.PIPE if input else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        self.started.append(process)
        return process

    def serve(self, line, folder):
        """Starts a command that goes on, and returns what it prints until it is ready, such as `identity serve`."""
        print(f"    $ {line} &", flush=True)
        process = self.start(line, folder)
        alarm = threading.Timer(PATIENCE, lambda: self.end(process))
        alarm.start()
        printed = ""
        for text in process.stdout:
            printed += text
            if text == "}\n":
                alarm.cancel()
                return printed, process
        raise Failure(f"{line}\nIt was not ready within {PATIENCE:.0f} seconds:\n{printed}")

    def end(self, process):
        for sign in (signal.SIGINT, signal.SIGKILL):
            if process.poll() is not None:
                return
            try:
                os.killpg(process.pid, sign)
                process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass

    def close(self):
        for process in self.started:
            self.end(process)
        if os.environ.get("NEWCOMER_KEEP"):
            print(f"Kept: {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
