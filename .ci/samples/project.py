"""Makes an Xcode project of a sample: a package alone has no Info.plist, no entitlements and no extensions.

The project refers to the sample's files where they lie, so what is edited in Xcode is the sample. What it links is a
package beside the project, `Libraries`, which needs this package without its traits. A project is a property list; it is
written as XML, which Xcode reads as well as its own spelling of one.
"""

import hashlib
import os
import plistlib

import manifest
import samples

# Where the samples are apps. On tvOS and watchOS they are compiled, and no project is made.
SYSTEMS = {
    "IPHONEOS_DEPLOYMENT_TARGET": "16.0", "MACOSX_DEPLOYMENT_TARGET": "13.0", "XROS_DEPLOYMENT_TARGET": "1.0",
}
SUPPORTED_PLATFORMS = "iphoneos iphonesimulator macosx xros xrsimulator"
# visionOS has widgets since 26.
WIDGET_SYSTEMS = {**SYSTEMS, "XROS_DEPLOYMENT_TARGET": "26.0"}

GROUP_VARIABLE = "$(AppIdentifierPrefix)"
LIBRARIES = "Libraries"

PRODUCT_TYPES = {
    samples.APP: "com.apple.product-type.application",
    samples.WIDGET: "com.apple.product-type.app-extension",
    samples.SHARE: "com.apple.product-type.app-extension",
    samples.UI_TESTS: "com.apple.product-type.bundle.ui-testing",
}
ENDINGS = {samples.APP: "app", samples.WIDGET: "appex", samples.SHARE: "appex", samples.UI_TESTS: "xctest"}

EXTENSION_POINTS = {
    samples.WIDGET: {"NSExtensionPointIdentifier": "com.apple.widgetkit-extension"},
    samples.SHARE: {
        "NSExtensionPointIdentifier": "com.apple.share-services",
        "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).ShareViewController",
        "NSExtensionAttributes": {"NSExtensionActivationRule": {"NSExtensionActivationSupportsWebURLWithMaxCount": 1}},
    },
}


def identifier(*words):
    """The identifier of an object of a project: the same whenever it is made."""
    return hashlib.sha256("/".join(words).encode()).hexdigest()[:24].upper()


class Project:
    """The project of a sample, in `folder`."""

    def __init__(self, sample, folder):
        self.sample, self.folder, self.objects = sample, folder, {}
        self.targets = [part for part in sample.parts if part.kind != samples.SHARED]
        self.name = sample.name

    # What its files say

    def bundle_identifier(self, part):
        own = self.sample.settings["bundleIdentifier"]
        return own if part.kind == samples.APP else f"{own}.{part.kind}"

    def info(self, part):
        """The `Info.plist` of a part, beside what Xcode adds to every one."""
        said = {}
        if part.kind == samples.APP:
            said.update(self.sample.settings.get("info", {}))
        if part.is_extension:
            said["NSExtension"] = EXTENSION_POINTS[part.kind]
            said["CFBundleDisplayName"] = self.sample.settings["title"]
        # `identity serve` is a server on this machine, without a certificate.
        said["NSAppTransportSecurity"] = {"NSAllowsLocalNetworking": True}
        if "keychainGroup" in self.sample.settings:
            said["KeychainGroup"] = GROUP_VARIABLE + self.sample.settings["keychainGroup"]
        return said

    def entitlements(self, part):
        # macOS wants a sandbox around extensions; the other systems have one in any case.
        said = {"com.apple.security.app-sandbox": True, "com.apple.security.network.client": True}
        if "keychainGroup" in self.sample.settings:
            said["keychain-access-groups"] = [GROUP_VARIABLE + self.sample.settings["keychainGroup"]]
        if part.kind == samples.APP:
            said.update(self.sample.settings.get("entitlements", {}))
        return said

    # Its objects

    def add(self, key, isa, **members):
        name = identifier(self.name, *key)
        if name in self.objects:
            raise samples.SampleError(f"{self.name}: two objects are called {key}.")
        self.objects[name] = {"isa": isa, **members}
        return name

    def file(self, path, source_tree="SOURCE_ROOT"):
        kinds = {
            ".swift": "sourcecode.swift", ".plist": "text.plist.xml", ".entitlements": "text.plist.entitlements",
            ".json": "text.json", ".xcstrings": "text.json.xcstrings",
        }
        return self.add(
            ("file", path), "PBXFileReference", lastKnownFileType=kinds[os.path.splitext(path)[1]],
            name=os.path.basename(path), path=path, sourceTree=source_tree)

    def from_here(self, path):
        """The way from the project to a file of this package."""
        return os.path.relpath(os.path.join(self.sample.root, path), self.folder)

    def configurations(self, key, settings):
        names = [
            self.add((*key, "configuration", name), "XCBuildConfiguration", name=name, buildSettings={
                **settings, **({"SWIFT_ACTIVE_COMPILATION_CONDITIONS": "DEBUG", "ONLY_ACTIVE_ARCH": "YES",
                                "SWIFT_OPTIMIZATION_LEVEL": "-Onone"} if name == "Debug" else {})})
            for name in ("Debug", "Release")
        ]
        return self.add(
            (*key, "configurations"), "XCConfigurationList", buildConfigurations=names,
            defaultConfigurationIsVisible="0", defaultConfigurationName="Release")

    def settings(self, part):
        said = {
            "PRODUCT_NAME": part.module, "PRODUCT_BUNDLE_IDENTIFIER": self.bundle_identifier(part),
            "SWIFT_VERSION": "6.0", "GENERATE_INFOPLIST_FILE": "YES", "CURRENT_PROJECT_VERSION": "1",
            "MARKETING_VERSION": "1.0", "CODE_SIGN_STYLE": "Automatic",
        }
        if part.kind == samples.UI_TESTS:
            return {**said, "TEST_TARGET_NAME": self.name}
        said.update({
            "INFOPLIST_FILE": f"{part.kind}.plist", "CODE_SIGN_ENTITLEMENTS": f"{part.kind}.entitlements",
            "SWIFT_UPCOMING_FEATURE_EXISTENTIAL_ANY": "YES",
        })
        if part.is_extension:
            said.update({"APPLICATION_EXTENSION_API_ONLY": "YES", "SKIP_INSTALL": "YES"})
        else:
            said.update({
                "INFOPLIST_KEY_CFBundleDisplayName": self.sample.settings["title"],
                "INFOPLIST_KEY_UILaunchScreen_Generation": "YES",
                "INFOPLIST_KEY_UIApplicationSceneManifest_Generation": "YES",
            })
        if part.kind == samples.WIDGET:
            said.update(WIDGET_SYSTEMS)
        return said

    def target(self, part, package):
        """A target; its product and its sources are named in the groups."""
        key = (part.kind,)
        product = self.add(
            (*key, "product"), "PBXFileReference", explicitFileType={
                "app": "wrapper.application", "appex": "wrapper.app-extension", "xctest": "wrapper.cfbundle",
            }[ENDINGS[part.kind]], includeInIndex="0", path=f"{part.module}.{ENDINGS[part.kind]}",
            sourceTree="BUILT_PRODUCTS_DIR")
        files = [self.file(self.from_here(path)) for path in part.files]
        phases = [self.add(
            (*key, "sources"), "PBXSourcesBuildPhase", buildActionMask="2147483647", runOnlyForDeploymentPostprocessing="0",
            files=[self.add((*key, "source", file), "PBXBuildFile", fileRef=file) for file in files])]
        dependencies = []
        if part.kind != samples.UI_TESTS:
            dependency = self.add(
                (*key, LIBRARIES), "XCSwiftPackageProductDependency", package=package, productName=LIBRARIES)
            dependencies.append(dependency)
            phases.append(self.add(
                (*key, "frameworks"), "PBXFrameworksBuildPhase", buildActionMask="2147483647",
                runOnlyForDeploymentPostprocessing="0",
                files=[self.add((*key, LIBRARIES, "linked"), "PBXBuildFile", productRef=dependency)]))
            phases.append(self.add(
                (*key, "resources"), "PBXResourcesBuildPhase", buildActionMask="2147483647",
                runOnlyForDeploymentPostprocessing="0",
                files=[
                    self.add((*key, "resource", file), "PBXBuildFile", fileRef=file) for file in self.resources
                ]))
        target = self.add(
            (*key, "target"), "PBXNativeTarget", name=part.module, productName=part.module, productReference=product,
            productType=PRODUCT_TYPES[part.kind], buildPhases=phases, buildRules=[], dependencies=[],
            packageProductDependencies=dependencies, buildConfigurationList=self.configurations(key, self.settings(part)))
        return target, product, files

    def depend(self, part, other, root):
        """Lets the target of a part be built after that of another one."""
        proxy = self.add(
            (part.kind, "proxy", other.kind), "PBXContainerItemProxy", containerPortal=root, proxyType="1",
            remoteGlobalIDString=identifier(self.name, other.kind, "target"), remoteInfo=other.module)
        self.objects[identifier(self.name, part.kind, "target")]["dependencies"].append(self.add(
            (part.kind, "dependency", other.kind), "PBXTargetDependency", targetProxy=proxy,
            target=identifier(self.name, other.kind, "target")))

    def contents(self):
        """The property list."""
        root = identifier(self.name, "project")
        package = self.add(("package",), "XCLocalSwiftPackageReference", relativePath=LIBRARIES)
        self.resources = [self.file(self.from_here(path)) for path in self.sample.resources]
        made = {part.kind: self.target(part, package) for part in self.targets}
        groups = [
            self.add((kind, "group"), "PBXGroup", name=kind, children=files, sourceTree="<group>")
            for kind, (_, _, files) in made.items()
        ]
        if self.resources:
            groups.append(self.add(
                ("resources", "group"), "PBXGroup", name=samples.RESOURCES, children=self.resources,
                sourceTree="<group>"))
        products = self.add(
            ("products",), "PBXGroup", name="Products", children=[product for _, product, _ in made.values()],
            sourceTree="<group>")
        main = self.add(("main",), "PBXGroup", children=[*groups, products], sourceTree="<group>")
        app = self.sample.part(samples.APP)
        extensions = [part for part in self.targets if part.is_extension]
        if extensions:
            embedded = [
                self.add((part.kind, "embedded"), "PBXBuildFile", fileRef=made[part.kind][1],
                         settings={"ATTRIBUTES": ["RemoveHeadersOnCopy"]})
                for part in extensions
            ]
            self.objects[made[samples.APP][0]]["buildPhases"].append(self.add(
                ("embed",), "PBXCopyFilesBuildPhase", name="Embed extensions", dstPath="", dstSubfolderSpec="13",
                buildActionMask="2147483647", runOnlyForDeploymentPostprocessing="0", files=embedded))
        for part in extensions:
            self.depend(app, part, root)
        if self.sample.part(samples.UI_TESTS):
            self.depend(self.sample.part(samples.UI_TESTS), app, root)
        self.objects[root] = {
            "isa": "PBXProject", "attributes": {"BuildIndependentTargetsInParallel": "YES"},
            "buildConfigurationList": self.configurations(("project",), {
                **SYSTEMS, "SDKROOT": "auto", "SUPPORTED_PLATFORMS": SUPPORTED_PLATFORMS, "TARGETED_DEVICE_FAMILY": "1,2,7",
                "SUPPORTS_MACCATALYST": "NO",
            }),
            "compatibilityVersion": "Xcode 15.0", "developmentRegion": "en", "knownRegions": ["en", "Base"],
            "mainGroup": main, "productRefGroup": products, "packageReferences": [package], "projectDirPath": "",
            "projectRoot": "", "targets": [target for target, _, _ in made.values()],
        }
        return {
            "archiveVersion": "1", "classes": {}, "objectVersion": "60", "objects": self.objects, "rootObject": root,
        }

    def scheme(self):
        """A scheme for the app, which runs its tests, too."""
        def reference(part):
            return (
                f'<BuildableReference BuildableIdentifier="primary"'
                f' BlueprintIdentifier="{identifier(self.name, part.kind, "target")}"'
                f' BuildableName="{part.module}.{ENDINGS[part.kind]}" BlueprintName="{part.module}"'
                f' ReferencedContainer="container:{self.name}.xcodeproj"/>')

        app, tests = self.sample.part(samples.APP), self.sample.part(samples.UI_TESTS)
        testables = f'<TestableReference skipped="NO">{reference(tests)}</TestableReference>' if tests else ""
        return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<Scheme LastUpgradeVersion="1600" version="1.7">
  <BuildAction parallelizeBuildables="YES" buildImplicitDependencies="YES">
    <BuildActionEntries>
      <BuildActionEntry buildForTesting="YES" buildForRunning="YES" buildForProfiling="YES" buildForArchiving="YES"
        buildForAnalyzing="YES">{reference(app)}</BuildActionEntry>
    </BuildActionEntries>
  </BuildAction>
  <TestAction buildConfiguration="Debug" shouldUseLaunchSchemeArgsEnv="YES">
    <Testables>{testables}</Testables>
  </TestAction>
  <LaunchAction buildConfiguration="Debug" allowLocationSimulation="NO">
    <BuildableProductRunnable runnableDebuggingMode="0">{reference(app)}</BuildableProductRunnable>
  </LaunchAction>
</Scheme>
"""

    def package(self):
        """The manifest of what all parts link, and a file that names it."""
        libraries = sorted({name for part in self.sample.parts for name in part.libraries})
        needs = [f'.product(name: "{name}", package: "{manifest.PACKAGE}")' for name in libraries]
        packages = [f'.package(name: "{manifest.PACKAGE}", path: "{self.sample.root}", traits: [])']
        if self.sample.part(samples.SHARED):
            shared = self.name + samples.SHARED
            needs.append(f'.product(name: "{shared}", package: "{self.name}")')
            packages.append(
                f'.package(name: "{self.name}", path: "{os.path.join(self.sample.root, self.sample.folder)}")')
            libraries.append(shared)
        text = f"""\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "{LIBRARIES}",
    platforms: {samples.platforms(self.sample.root)},
    products: [.library(name: "{LIBRARIES}", targets: ["{LIBRARIES}"])],
    dependencies: {manifest.listed(packages, 4)},
    targets: [
        .target(name: "{LIBRARIES}", dependencies: {manifest.listed(needs, 8)})
    ]
)
"""
        return text, "".join(f"@_exported import {name}\n" for name in libraries)


def write(sample, folder):
    """Writes the project of a sample and all that belongs to it into `folder`, and returns its path."""
    project = Project(sample, folder)
    path = os.path.join(folder, f"{sample.name}.xcodeproj")
    schemes = os.path.join(path, "xcshareddata", "xcschemes")
    sources = os.path.join(folder, LIBRARIES, "Sources", LIBRARIES)
    for made in (schemes, sources):
        os.makedirs(made, exist_ok=True)
    with open(os.path.join(path, "project.pbxproj"), "wb") as file:
        plistlib.dump(project.contents(), file)
    put(os.path.join(schemes, f"{sample.name}.xcscheme"), project.scheme())
    manifest_text, imports = project.package()
    put(os.path.join(folder, LIBRARIES, manifest.NAME), manifest_text)
    put(os.path.join(sources, f"{LIBRARIES}.swift"), imports)
    for part in project.targets:
        if part.kind == samples.UI_TESTS:
            continue
        for ending, said in (("plist", project.info(part)), ("entitlements", project.entitlements(part))):
            with open(os.path.join(folder, f"{part.kind}.{ending}"), "wb") as file:
                plistlib.dump(said, file)
    return path


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
