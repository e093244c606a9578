"""Tests of `.ci/mac` without a Mac: stand-ins for Apple's tools write down how they were called. What those tools would have
said, nobody knows here; that each part calls them for every system and every sample, and notices a failure, these tests show.
"""

import json
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

import samples

MAC = os.path.join(samples.ROOT, ".ci", "mac")
SERVED = {"providers": [{
    "name": "thunderid", "type": "thunderid",
    "settings": {"baseURL": "http://127.0.0.1:4711", "clientID": "client", "redirectURI": "app://callback"},
}, {
    "name": "insforge", "type": "insforge", "settings": {"baseURL": "http://127.0.0.1:4712"},
}, {
    "name": "oidc", "type": "openid-connect",
    "settings": {"issuer": "http://127.0.0.1:4713", "clientID": "app", "redirectURI": "http://127.0.0.1/callback"},
}]}
PHONES = {"devices": {
    "com.apple.CoreSimulator.SimRuntime.tvOS-26-0": [{"udid": "TV", "name": "Apple TV"}],
    "com.apple.CoreSimulator.SimRuntime.iOS-26-0": [
        {"udid": "PAD", "name": "iPad Air"}, {"udid": "PHONE", "name": "iPhone 17"}],
}}


class Mac(unittest.TestCase):
    # The apps that are touched.
    APPS = ("ThunderIDSignIn", "FollowingTheFile")

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mac-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.calls = os.path.join(self.folder, "calls")
        os.makedirs(os.path.join(self.folder, "bin"))
        self.stand_in("uname", "echo Darwin")
        self.stand_in("xcodebuild", f"""
            [ "$1" != -version ] || exit 0
            printf '%s\\n' "$PWD $*" >>{self.calls}
            env | grep ^TEST_RUNNER_ | sort >>{self.calls} || true
            for file in "${{TEST_RUNNER_NOTES_THUNDERID:-}}" "${{TEST_RUNNER_NOTES_INSFORGE:-}}" "${{TEST_RUNNER_NOTES_OIDC:-}}"; do
            if [ -n "$file" ]; then printf 'file '; cat "$file"; echo; fi
            done >>{self.calls}
            case "$*" in *"${{FAILS:-nothing}}"*) echo 'error: it fails'; exit 65 ;; esac
            """)
        self.stand_in("xcrun", f"cat <<'JSON'\n{json.dumps(PHONES)}\nJSON")
        # Waits until it is stopped, as the servers do.
        self.stand_in("identity", f"""
            while [ "$1" != --configuration ]; do shift; done
            echo 'Application     APPLICATION  for the pages'
            cat >"$2.new" <<'JSON'\n{json.dumps(SERVED)}\nJSON
            mv "$2.new" "$2"
            exec tail -f /dev/null
            """)

    def stand_in(self, name, script):
        path = os.path.join(self.folder, "bin", name)
        lines = "\n".join(line.strip() for line in script.strip().splitlines())
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/usr/bin/env bash\nset -euo pipefail\n{lines}\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def run_mac(self, *parts, **variables):
        """Runs parts, and returns how that ended, what was printed, and how Apple's tools were called."""
        tools = os.path.join(self.folder, "bin")
        done = subprocess.run(
            [MAC, *parts], capture_output=True, text=True, timeout=300, env={
                **os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "IDENTITY_TOOL": os.path.join(tools, "identity"),
                "IDENTITY_MAC_WORK": os.path.join(self.folder, "work"), **variables,
            })
        calls = []
        if os.path.exists(self.calls):
            with open(self.calls, encoding="utf-8") as file:
                calls = file.read().splitlines()
        return done.returncode, done.stdout + done.stderr, calls

    def test_every_part_that_is_listed_is_known_and_described(self):
        parts = subprocess.run([MAC, "--list"], capture_output=True, text=True, check=True).stdout.split()
        with open(MAC, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(len(parts), len(set(parts)))
        for part in parts:
            with self.subTest(part):
                self.assertRegex(text, rf"(?m)^#   {part}  +\w")
                self.assertRegex(text, rf"(?m)^{part.replace('-', '_')}\(\) {{")

    def test_a_part_that_is_not_known(self):
        status, said, _ = self.run_mac("nothing")
        self.assertEqual(status, 1)
        self.assertIn("Failed: nothing", said)

    def test_the_libraries_are_built_for_five_systems(self):
        status, said, calls = self.run_mac("systems")
        self.assertEqual(status, 0, said)
        for system in ("iOS", "macOS", "tvOS", "watchOS", "visionOS"):
            self.assertEqual(len([call for call in calls if f"generic/platform={system} " in call]), 1, system)
        with open(os.path.join(self.folder, "work", "consumer", "Package.swift"), encoding="utf-8") as file:
            manifest = file.read()
        self.assertNotIn("$", manifest)
        # The tool, the local servers and what a trait brings are not for apps.
        for name in set(samples.products()) - {
            "IdentityTool", "IdentityLocalServers", "IdentityPostgres",
            "IdentityObservability",
        }:
            self.assertIn(f'"{name}"', manifest)

    def test_every_sample_is_built_for_three_systems(self):
        status, said, calls = self.run_mac("samples")
        self.assertEqual(status, 0, said)
        for sample in (sample for sample in samples.all_samples() if sample.settings is not None):
            path = os.path.join(self.folder, "work", "samples", sample.name, f"{sample.name}.xcodeproj")
            self.assertTrue(os.path.isdir(path))
            systems = [system for system in ("iOS", "macOS", "visionOS") for call in calls
                       if f"-project {path} " in call and f"generic/platform={system} " in call]
            self.assertEqual(systems, ["iOS", "macOS", "visionOS"], sample.name)

    def test_what_fails_is_named_and_the_rest_is_built(self):
        status, said, calls = self.run_mac("samples", FAILS="-scheme SignInApp -destination generic/platform=macOS")
        self.assertEqual(status, 1)
        self.assertIn("Not built: SignInApp-macOS\n", said)
        self.assertIn("error: it fails", said)
        self.assertTrue(any("ThunderIDSignIn" in call for call in calls))

    def test_the_app_is_tested_on_a_phone_at_the_servers(self):
        status, said, calls = self.run_mac("ui")
        self.assertEqual(status, 0, said)
        tested = [call for call in calls if " test " in call]
        self.assertEqual(
            [samples.re.search(r"-scheme (\w+)", call).group(1) for call in tested], list(self.APPS))
        for call in tested:
            self.assertIn("id=PHONE", call)
        variables = dict(call.split("=", 1) for call in calls if call.startswith("TEST_RUNNER_"))
        self.assertEqual(variables["TEST_RUNNER_NOTES_SERVER"], "http://127.0.0.1:4711")
        self.assertEqual(variables["TEST_RUNNER_NOTES_APPLICATION"], "APPLICATION")
        # The tests ask for just these, and the app for none but its file.
        asked = {name for app in self.APPS for name in samples.re.findall(
            r'"(NOTES_\w+)"', samples.Sample(app).part(samples.UI_TESTS).text)}
        self.assertEqual({f"TEST_RUNNER_{name}" for name in asked - {"NOTES_FILE"}}, set(variables))
        self.assertIn('"NOTES_FILE"', samples.Sample("FollowingTheFile").part(samples.APP).text)

    def test_the_files_of_the_app_differ_in_their_server_alone(self):
        status, said, calls = self.run_mac("ui")
        self.assertEqual(status, 0, said)
        files = [json.loads(call.removeprefix("file ")) for call in calls if call.startswith("file ")]
        self.assertEqual(len(files), 6)
        self.assertEqual(
            [provider["type"] for file in files[:3] for provider in file["providers"]],
            ["thunderid", "insforge", "openid-connect"])
        # The name is what the tests press.
        self.assertEqual({provider["name"] for file in files for provider in file["providers"]}, {"work"})
        self.assertIn(
            '"identity-sign-in-work"', samples.Sample("FollowingTheFile").part(samples.UI_TESTS).text)
        # The address that the server knows for apps, whose scheme opens this one.
        address = files[2]["providers"][0]["settings"]["redirectURI"]
        with open(os.path.join(samples.ROOT, samples.FOLDER, "FollowingTheFile", "sample.json"), encoding="utf-8") as file:
            self.assertIn(f'"{address.partition(":")[0]}"', file.read())

    def test_a_test_that_fails_is_a_failure(self):
        status, said, _ = self.run_mac("ui", FAILS="test -project")
        self.assertEqual(status, 1)
        self.assertIn("Failed: ui", said)

    def test_without_a_phone(self):
        self.stand_in("xcrun", "echo '{\"devices\": {}}'")
        status, said, calls = self.run_mac("ui")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("There is no simulated iPhone", said)
