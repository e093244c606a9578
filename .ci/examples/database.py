"""A PostgreSQL server of its own, in a folder of its own, for as long as it is needed."""

import glob
import os
import re
import shutil
import subprocess


class Database:
    """The server, and the variable that names it."""

    def __init__(self, folder):
        self.folder = folder
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(re.findall(r"\d+", path)[0]))
        self.programs = found[-1] if found else os.path.dirname(shutil.which("initdb") or "")
        self.variables = {"DATABASE_URL": f"host={folder} user=postgres dbname=postgres"}

    def run(self, program, *arguments):
        # PostgreSQL does not run as root.
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        done = subprocess.run(
            [*user, os.path.join(self.programs, program), "-D", os.path.join(self.folder, "data"), *arguments],
            cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{program} ended with {done.returncode}: {done.stderr}")

    def __enter__(self):
        os.makedirs(self.folder)
        if os.getuid() == 0:
            os.chmod(os.path.dirname(self.folder), 0o711)
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self.start()
        return self

    def start(self):
        self.run(
            "pg_ctl", "-l", os.path.join(self.folder, "log"), "-w", "-s", "start", "-o",
            f"-c unix_socket_directories={self.folder} -c listen_addresses=")

    def stop(self):
        self.run("pg_ctl", "-m", "immediate", "-s", "stop")

    def __exit__(self, *_):
        self.stop()
