"""Tests of what `run` makes: manifests and projects. They look at them, and build nothing."""

import json
import os
import plistlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import manifest
import project
import samples

REFERENCES = re.compile(r"[0-9A-F]{24}")


def references(value):
    """Every identifier of an object in a value."""
    if isinstance(value, str):
        return {value} if REFERENCES.fullmatch(value) else set()
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*(references(each) for each in values))


class Folder(unittest.TestCase):
    """A test with a folder of its own, in which projects are made."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="samples-")
        self.addCleanup(shutil.rmtree, self.folder)

    def made(self, sample):
        """The folder of a sample's project, and the property list in it."""
        folder = os.path.join(self.folder, sample.name)
        path = project.write(sample, folder)
        with open(os.path.join(path, "project.pbxproj"), "rb") as file:
            return folder, plistlib.load(file)

    def plist(self, folder, name):
        with open(os.path.join(folder, name), "rb") as file:
            return plistlib.load(file)


EVERY = samples.all_samples()
WITH_PROJECTS = [sample for sample in EVERY if sample.settings is not None]


class Manifests(unittest.TestCase):
    def test_every_sample_has_the_manifest_that_is_made_of_it(self):
        for sample in EVERY:
            with self.subTest(sample.name), open(manifest.path(sample), encoding="utf-8") as file:
                self.assertEqual(file.read(), manifest.text(sample), "Run .ci/samples/run --write")

    def test_a_manifest_compiles(self):
        """Against the library that SwiftPM compiles manifests with; one that differs from the others by nothing but names
        and products stands for all."""
        tool = shutil.which("swiftc")
        info = json.loads(subprocess.run([tool, "-print-target-info"], capture_output=True, check=True).stdout)
        library = os.path.join(os.path.dirname(info["paths"]["runtimeResourcePath"]), "swift", "pm", "ManifestAPI")
        longest = max(EVERY, key=lambda sample: len(sample.parts))
        done = subprocess.run(
            [tool, "-typecheck", "-I", library, "-package-description-version", "6.2.0", manifest.path(longest)],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_part_imports_only_what_it_can_have(self):
        for part in (part for sample in EVERY for part in sample.parts):
            others = {other.module for sample in EVERY for other in sample.parts} & part.imports
            shared = {part.sample.name + samples.SHARED} if part.kind not in (samples.SHARED, samples.UI_TESTS) else set()
            with self.subTest(part.module):
                self.assertLessEqual(others, shared)

    def test_every_journey_is_an_app(self):
        """Unless the page says that it is none, and only lists what there is."""
        rows = dict(re.findall(r"(?m)^\| `(\w+)` \| (.*) \|$", samples.read(os.path.join(samples.FOLDER, "README.md"))))
        for sample in EVERY:
            with self.subTest(sample.name):
                self.assertEqual(sample.part(samples.APP).is_program, not rows[sample.name].startswith("no app: "))

    def test_the_page_has_a_row_for_each(self):
        with open(os.path.join(samples.FOLDER, "README.md"), encoding="utf-8") as file:
            rows = re.findall(r"(?m)^\| `(\w+)` \|", file.read())
        self.assertEqual(rows, sorted(rows))
        self.assertEqual(rows, [sample.name for sample in EVERY])


class Projects(Folder):
    def test_every_reference_leads_to_an_object_and_every_object_is_reached(self):
        for sample in WITH_PROJECTS:
            with self.subTest(sample.name):
                _, said = self.made(sample)
                objects, reached, waiting = said["objects"], set(), [said["rootObject"]]
                while waiting:
                    name = waiting.pop()
                    self.assertIn(name, objects)
                    reached.add(name)
                    waiting += references(objects[name]) - reached
                self.assertEqual(reached, set(objects))

    def test_every_file_is_there_and_every_source_is_compiled_once(self):
        for sample in WITH_PROJECTS:
            with self.subTest(sample.name):
                folder, said = self.made(sample)
                objects = said["objects"]
                compiled = [
                    objects[objects[build]["fileRef"]]["path"]
                    for phase in objects.values() if phase["isa"] == "PBXSourcesBuildPhase" for build in phase["files"]
                ]
                self.assertEqual(len(compiled), len(set(compiled)))
                found = {os.path.relpath(os.path.realpath(os.path.join(folder, path)), samples.ROOT) for path in compiled}
                self.assertEqual(found, {
                    path for part in sample.parts if part.kind != samples.SHARED for path in part.files})

    def test_every_file_that_a_setting_names_is_there(self):
        for sample in WITH_PROJECTS:
            folder, said = self.made(sample)
            for settings in self.settings(said):
                for key in ("INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS"):
                    if key in settings:
                        with self.subTest(sample.name, key=key):
                            self.assertTrue(os.path.isfile(os.path.join(folder, settings[key])))

    def settings(self, said):
        return [each["buildSettings"] for each in said["objects"].values() if each["isa"] == "XCBuildConfiguration"]

    def test_an_extension_lies_in_its_app_and_is_named_after_it(self):
        for sample in WITH_PROJECTS:
            extensions = [part for part in sample.parts if part.is_extension]
            with self.subTest(sample.name):
                _, said = self.made(sample)
                objects = said["objects"]
                embedded = {
                    objects[objects[build]["fileRef"]]["path"]
                    for phase in objects.values() if phase["isa"] == "PBXCopyFilesBuildPhase"
                    for build in phase["files"] if phase["dstSubfolderSpec"] == "13"
                }
                self.assertEqual(embedded, {f"{part.module}.appex" for part in extensions})
                own = sample.settings["bundleIdentifier"]
                names = {each["PRODUCT_BUNDLE_IDENTIFIER"] for each in self.settings(said)
                         if "PRODUCT_BUNDLE_IDENTIFIER" in each}
                self.assertTrue(all(name == own or name.startswith(own + ".") for name in names))
                safe = {each["PRODUCT_NAME"] for each in self.settings(said)
                        if each.get("APPLICATION_EXTENSION_API_ONLY") == "YES"}
                self.assertEqual(safe, {part.module for part in extensions})

    def test_all_parts_share_one_group_of_the_keychain(self):
        for sample in WITH_PROJECTS:
            folder, _ = self.made(sample)
            parts = [part for part in sample.parts if part.kind == samples.APP or part.is_extension]
            groups = [self.plist(folder, f"{part.kind}.entitlements").get("keychain-access-groups") for part in parts]
            named = [self.plist(folder, f"{part.kind}.plist").get("KeychainGroup") for part in parts]
            with self.subTest(sample.name):
                self.assertTrue(all(group == groups[0] for group in groups))
                self.assertEqual([group and [group] for group in named], groups)
                self.assertTrue(groups[0] or len(parts) == 1, "extensions without a group know nobody")

    def test_the_first_class_of_a_share_extension_is_there(self):
        for sample in WITH_PROJECTS:
            part = sample.part(samples.SHARE)
            if part:
                folder, _ = self.made(sample)
                name = self.plist(folder, "Share.plist")["NSExtension"]["NSExtensionPrincipalClass"].split(".")[1]
                self.assertRegex(part.text, rf"\bfinal class {name}: \w+ViewController\b")

    def test_what_the_code_names_is_declared(self):
        """An identifier of a background task, a scheme of its own, or Face ID, without which the system refuses the call."""
        for sample in WITH_PROJECTS:
            text = "".join(part.text for part in sample.parts)
            info = sample.settings.get("info", {})
            with self.subTest(sample.name):
                tasks = set(re.findall(r'refreshTask = "([^"]+)"', text))
                self.assertEqual(tasks, set(info.get("BGTaskSchedulerPermittedIdentifiers", [])))
                schemes = {scheme for kind in info.get("CFBundleURLTypes", []) for scheme in kind["CFBundleURLSchemes"]}
                # A sheet of the system takes the callback itself; what a link opens, the app has to declare.
                if "onOpenURL" in text:
                    self.assertEqual(schemes, set(re.findall(r'"(com\.[\w.]+)://?\w', text)))
                self.assertEqual("DataKey.home(protection" in text, "NSFaceIDUsageDescription" in info)

    def test_a_scheme_names_targets_of_its_project(self):
        for sample in WITH_PROJECTS:
            folder, said = self.made(sample)
            path = os.path.join(
                folder, f"{sample.name}.xcodeproj", "xcshareddata", "xcschemes", f"{sample.name}.xcscheme")
            named = [each.get("BlueprintIdentifier") for each in
                     xml.etree.ElementTree.parse(path).iter("BuildableReference")]
            with self.subTest(sample.name):
                self.assertTrue(named)
                for name in named:
                    self.assertEqual(said["objects"][name]["isa"], "PBXNativeTarget")
                self.assertEqual(
                    sample.part(samples.UI_TESTS) is not None,
                    any(said["objects"][name]["productType"].endswith("ui-testing") for name in named))

    def test_a_project_is_the_same_when_it_is_made_again(self):
        for sample in WITH_PROJECTS:
            with self.subTest(sample.name):
                self.assertEqual(self.made(sample), self.made(sample))

    def test_the_libraries_of_all_parts_are_linked(self):
        for sample in WITH_PROJECTS:
            folder, _ = self.made(sample)
            with open(os.path.join(folder, project.LIBRARIES, manifest.NAME), encoding="utf-8") as file:
                text = file.read()
            with self.subTest(sample.name):
                for name in {name for part in sample.parts for name in part.libraries}:
                    self.assertIn(f'.product(name: "{name}", package: "{manifest.PACKAGE}")', text)


class Mistakes(Folder):
    """What must be refused."""

    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.folder, samples.FOLDER, "Broken", samples.APP))
        shutil.copy("Package.swift", self.folder)

    def test_a_folder_that_is_no_part(self):
        os.makedirs(os.path.join(self.folder, samples.FOLDER, "Broken", "Wdiget"))
        with self.assertRaisesRegex(samples.SampleError, "Wdiget"):
            samples.Sample("Broken", self.folder)

    def test_a_sample_without_an_app(self):
        os.rmdir(os.path.join(self.folder, samples.FOLDER, "Broken", samples.APP))
        with self.assertRaisesRegex(samples.SampleError, "App"):
            samples.Sample("Broken", self.folder)

    def test_a_setting_that_is_not_known(self):
        with open(os.path.join(self.folder, samples.FOLDER, "Broken", "sample.json"), "w", encoding="utf-8") as file:
            file.write('{"titel": "Broken"}')
        with self.assertRaisesRegex(samples.SampleError, "titel"):
            samples.Sample("Broken", self.folder)

    def test_a_name_without_a_project(self):
        done = subprocess.run(
            [os.path.join(samples.ROOT, ".ci", "samples", "run"), "project", self.folder, "Nowhere"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Nowhere", done.stderr)
