"""Programs at a terminal of their own, as a person starts them: what they print, and answers to what they ask."""

import os
import pty
import re
import select
import signal
import subprocess
import time

# In seconds, and more on a busy machine. What takes long was built before.
LONGEST = 600 * max(1, os.getloadavg()[0] / os.cpu_count())


class Terminal:
    """A few lines of a shell. They are ended with everything that they have started."""

    def __init__(self, lines, folder, environment, answers):
        self.answers, self.output, self.answered, self.untaken = answers, "", 0, ""
        self.lines = lines
        self.own, theirs = pty.openpty()
        self.process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", lines], cwd=folder, env=environment, stdin=theirs, stdout=theirs,
            stderr=theirs, start_new_session=True)
        os.close(theirs)

    def wait(self):
        """Answers until the lines have ended."""
        self.read(until=lambda: False)
        if self.process.wait() != 0:
            raise AssertionError(f"{self.lines}\nended with {self.process.returncode}:\n{self.output}")

    def take(self, text):
        """Answers until a text was printed, once more than it was taken before."""
        self.read(until=lambda: text in self.untaken)
        if text not in self.untaken:
            raise AssertionError(f"{self.lines}\nended without “{text}”:\n{self.output}")
        self.untaken = self.untaken.replace(text, "", 1)

    def read(self, until):
        deadline = time.monotonic() + LONGEST
        while not until():
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.own], [], [], left)[0]:
                raise AssertionError(f"{self.lines}\ntakes longer than {LONGEST:.0f} seconds:\n{self.output}")
            try:
                read = os.read(self.own, 65536)
            except OSError:
                read = b""  # Linux says so when nobody is left at the other end.
            if not read:
                return
            printed = read.decode(errors="replace").replace("\r\n", "\n")
            self.output += printed
            self.untaken += printed
            self.answer()

    def answer(self):
        for pattern, reply in self.answers:
            found = re.search(pattern, self.output[self.answered:])
            if not found:
                continue
            self.answered += found.end()
            text = reply(*found.groups()) if callable(reply) else reply
            if text is not None:
                os.write(self.own, f"{text}\n".encode())
            return self.answer()

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        os.close(self.own)
