"""`identity exec --token-file` with the command line of AWS, which exchanges the ID token in the file at moto."""

import json
import os
import subprocess
import time
import urllib.parse

from world import CLIENT, HERE, LONGEST, promise, require

EXEC = ["identity", "exec", "--account", "cloud", "--token-file", "--id-token", CLIENT,
        "--variable", "AWS_WEB_IDENTITY_TOKEN_FILE", "--"]
CALLER = ["sts", "get-caller-identity", "--output", "json"]


def run(world):
    record = world.path("asked")
    with subprocess.Popen(
            [world.programs.python, "-B", os.path.join(HERE, "moto_server.py"), record],
            env=world.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True) as moto:
        try:
            address = moto.stdout.readline().strip()
            require(address, "moto starts")
            AWS(world, address, record).run()
        finally:
            moto.terminate()


class AWS:
    def __init__(self, world, address, record):
        self.world, self.record, self.aws = world, record, world.programs.aws
        # The variable is for the exchange of the token, which asks the same service as the command does.
        self.variables = {
            "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/notes", "AWS_ROLE_SESSION_NAME": "agents",
            "AWS_ENDPOINT_URL": address, "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": world.path("aws-config"), "AWS_SHARED_CREDENTIALS_FILE": world.path("aws-credentials"),
            "AWS": self.aws,
        }
        self.endpoint = ["--endpoint-url", address]

    def execute(self, *command):
        return self.world.run(*EXEC, *command, **self.variables)

    def shell(self, script):
        return self.execute("sh", "-c", script)

    def exchanged(self):
        """The tokens that moto was shown."""
        with open(self.record, encoding="utf-8") as file:
            forms = [urllib.parse.parse_qs(line.strip()) for line in file]
        return [form["WebIdentityToken"][0] for form in forms if form.get("Action") == ["AssumeRoleWithWebIdentity"]]

    def nothing_is_left(self):
        """Whether the folder for files is empty, at the latest after a while: the keeper looks five times a second."""
        for _ in range(LONGEST * 10):
            if not os.listdir(self.world.path("runtime")):
                return True
            time.sleep(0.1)
        return False

    def run(self):
        done = self.execute(self.aws, *CALLER, *self.endpoint)
        assumed = json.loads(done.stdout)["Arn"] if done.returncode == 0 else ""
        promise("aws acts in the role that it gets for the ID token", assumed.endswith(":assumed-role/notes/agents"), done)
        claims = self.world.claims(self.exchanged()[-1])
        promise("the service is shown an ID token of the issuer, for the audience that was named",
                claims["aud"] in (CLIENT, [CLIENT]), claims)
        promise("the file is gone when aws has ended", self.nothing_is_left())
        self.is_private()
        self.follows_a_refresh()
        self.ends_with_the_command()
        other = ["another" if word == CLIENT else word for word in EXEC]
        done = self.world.run(*other, "touch", self.world.path("started"), **self.variables)
        promise("without an ID token for the audience the command is not started",
                done.returncode != 0 and "another" in done.stderr and not os.path.exists(self.world.path("started")), done)
        require(self.nothing_is_left(), "Nothing is left of it.")

    def is_private(self):
        file = '"$AWS_WEB_IDENTITY_TOKEN_FILE"'
        done = self.shell(f'stat -c "%a %u" {file} "$(dirname {file})"; ls -A "$(dirname {file})"; echo {file}')
        file_mode, folder_mode, content, path = done.stdout.splitlines()
        promise("the file is its owner's alone, in a folder of its own",
                (file_mode, folder_mode, content) == (f"600 {os.getuid()}", f"700 {os.getuid()}", "token")
                and path.startswith(self.world.path("runtime") + "/identity-"), done)
        require(self.nothing_is_left(), "The file is gone.")
        done = self.execute("env")
        require(not any(token in done.stdout + done.stderr for token in self.exchanged()), "No variable has the token.")

    def follows_a_refresh(self):
        """A command that outlives its token: meanwhile somebody else refreshes the session."""
        done = self.shell(f"""
            first=$(cat "$AWS_WEB_IDENTITY_TOKEN_FILE") && "$AWS" {' '.join(CALLER)} >&2 || exit 1
            identity token --account cloud --fresh >&2 || exit 1
            while [ "$(cat "$AWS_WEB_IDENTITY_TOKEN_FILE")" = "$first" ]; do sleep 0.1; done
            "$AWS" {' '.join(CALLER)}""")
        require(done.returncode == 0, "aws acts before and after", done)
        before, after = self.exchanged()[-2:]
        promise("while a command runs, the file follows a refresh", before != after and self.world.claims(after), before, after)
        require(self.nothing_is_left(), "The file is gone.")

    def ends_with_the_command(self):
        for signal in ("TERM", "KILL"):
            done = self.shell(f"kill -{signal} $$; sleep {LONGEST}")
            promise(f"the file is gone when a signal has ended the command (SIG{signal})",
                    done.returncode < 0 and self.nothing_is_left(), done)
