"""The programs, installed by name."""

import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Programs:
    """Where each program is. What is no part of a usual machine has a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.debian("git", "openssl")
        self.wanted = open(os.path.join(HERE, "requirements.txt"), encoding="utf-8").read()
        self.python = self.path("python/bin/python")
        if self.installed() != self.wanted:
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            subprocess.run([sys.executable, "-m", "venv", self.path("python")], check=True)
            subprocess.run(
                [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement",
                 os.path.join(HERE, "requirements.txt")], check=True)
            self.unpack("kubernetes-client")
            with open(self.path("installed.txt"), "w", encoding="utf-8") as file:
                file.write(self.wanted)
        self.aws = self.path("python/bin/aws")
        # The versions of kubectl's interface that each one knows. Debian's has the older one alone.
        self.kubectls = {self.path("python/bin/kubectl"): ["v1", "v1beta1"]}
        if os.path.exists(debian := self.path("debian/usr/bin/kubectl")):
            self.kubectls[debian] = ["v1beta1"]
        self.git_version = first_number([shutil.which("git"), "--version"])

    @property
    def versions(self):
        kubectls = " and ".join(first_number([path, "version", "--client"]) for path in self.kubectls)
        return f"kubectl {kubectls}, {' and '.join(line.replace('==', ' ') for line in self.wanted.split() if line[0] in 'am')}"

    def path(self, name):
        return os.path.join(self.folder, name)

    def installed(self):
        try:
            return open(self.path("installed.txt"), encoding="utf-8").read()
        except OSError:
            return None

    def debian(self, *names):
        missing = [name for name in names if not shutil.which(name)]
        if not missing:
            return
        if not shutil.which("apt-get"):
            sys.exit(f"Install {', '.join(missing)}.")
        apt_get("update", "--quiet")
        apt_get("install", "--quiet", "--yes", "--no-install-recommends", *missing)

    def unpack(self, package):
        """Unpacks one of Debian's packages, where there are any. Its program may not be that of the machine."""
        if not shutil.which("apt-get"):
            return
        download = ["apt-get", "download", "--quiet", package]
        if subprocess.run(download, cwd=self.folder, capture_output=True).returncode != 0:
            apt_get("update", "--quiet")
            subprocess.run(download, cwd=self.folder, capture_output=True, check=True)
        for file in glob.glob(self.path(f"{package}_*.deb")):
            subprocess.run(["dpkg", "-x", file, self.path("debian")], check=True)


def apt_get(*words):
    as_root = [] if os.getuid() == 0 else ["sudo"]
    subprocess.run([*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *words], check=True, stdout=sys.stderr)


def first_number(words):
    return re.search(r"\d+\.\d+[.\d]*", subprocess.run(words, capture_output=True, text=True).stdout)[0]
