"""Mistakes that the check must find: a check that cannot fail proves nothing.

Each stands beside the same thing written rightly. Of one system, all that is right is one file, which must compile, and all
that is wrong another, in which the compiler must complain about every one of them, where it stands. So a mistake is found
for what it is, and not because something near it is missing.
"""

import os
import re

import standin
import toolchain

# As a part of an extension: what is for apps alone may then be used only where the declaration around it says the same.
IN_EXTENSION = ["-application-extension"]

ALL = tuple(standin.PLATFORMS)
EVERYWHERE = ("Linux", *ALL)

# What stands before the mistakes: imports, and something for apps alone, on the systems whose frameworks we use have nothing.
BEGINNING = "".join(
    f"import {module}\n"
    for module in (
        "AuthenticationServices", "CryptoKit", "DeviceCheck", "Foundation", "Observation", "Security", "SwiftUI",
    )) + """\
#if canImport(WidgetKit)
import WidgetKit
#endif
@available(macOSApplicationExtension, unavailable)
@available(watchOSApplicationExtension, unavailable)
func onlyInApps() {}
"""

# What the mistakes are about.
TYPE, UNAVAILABLE, NEWER = "a wrong type", "an unavailable declaration", "a declaration newer than the oldest system"
ISOLATION, SENDABLE, OPTIONAL = "a wrong isolation", "something that cannot be sent", "an optional as a value"
AWAIT, TRY, DEPRECATED, ABSENT = "a missing await", "a missing try", "a deprecated declaration", "an absent member"
LABEL, EXTENSION = "a wrong label", "a declaration that extensions may not use"

# Every system sees each of these; Linux knows no availability.
KINDS = (TYPE, UNAVAILABLE, NEWER, ISOLATION, SENDABLE, OPTIONAL, AWAIT, TRY, DEPRECATED, ABSENT, LABEL, EXTENSION)
KINDS_ON_LINUX = (TYPE, ISOLATION, SENDABLE, OPTIONAL, AWAIT, TRY, ABSENT, LABEL)


class Mistake:
    """A mistake on some systems: the body of a function, right and wrong, and what the compiler says of the wrong one."""

    def __init__(self, kind, systems, signature, right, wrong, complaint):
        self.kind, self.systems = kind, (systems,) if isinstance(systems, str) else systems
        self.signature, self.right, self.wrong, self.complaint = signature, right, wrong, complaint

    def written(self, number, body):
        return f"{self.signature.replace('NAME', f'planted{number}')} {{\n{body}\n}}\n"


VIEW = "@MainActor func NAME(text: Text) -> some View"
IN_APPS = "".join(f"@available({system}ApplicationExtension, unavailable)\n" for system in ("iOS", "tvOS", "visionOS"))
SESSION = "func NAME(session: ASWebAuthenticationSession, controller: ASAuthorizationController)"
REGISTRATION = "func NAME(request: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest)"

MISTAKES = [
    *(
        Mistake(
            TYPE, system, "func NAME()", f"#if os({system})\n_ = 1 as Int\n#endif",
            f"#if os({system})\n_ = \"text\" as Int\n#endif", "cannot convert value of type 'String'")
        for system in ALL
    ),
    Mistake(
        TYPE, EVERYWHERE, "func NAME() -> OSStatus", "SecItemDelete([:])", "SecItemDelete(1)",
        "cannot convert value of type 'Int'"),

    # What a system does not have.
    Mistake(
        UNAVAILABLE, "visionOS", REGISTRATION, "request.userVerificationPreference = .init(rawValue: \"preferred\")",
        "request.excludedCredentials = []", "'excludedCredentials' is unavailable in visionOS"),
    Mistake(
        UNAVAILABLE, "tvOS", REGISTRATION, "request.userVerificationPreference = .init(rawValue: \"preferred\")",
        "request.excludedCredentials = []", "'excludedCredentials' is unavailable in tvOS"),
    Mistake(
        UNAVAILABLE, "watchOS", "func NAME()", "_ = ASWebAuthenticationSession.self",
        "_ = ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data())", "is unavailable in watchOS"),
    Mistake(
        UNAVAILABLE, "tvOS", SESSION, "session.cancel()", "session.prefersEphemeralWebBrowserSession = true",
        "'prefersEphemeralWebBrowserSession' is unavailable in tvOS"),
    Mistake(
        UNAVAILABLE, "watchOS", SESSION, "controller.performRequests()", "controller.cancel()",
        "'cancel()' is unavailable in watchOS"),
    Mistake(
        UNAVAILABLE, ("tvOS", "watchOS"), VIEW, "text.disabled(true)", "text.textSelection(.enabled)", "is unavailable in"),
    Mistake(
        UNAVAILABLE, ("tvOS", "watchOS"), "func NAME(words: [UnsafeMutablePointer<CChar>?])", "_ = getpid()",
        "execv(\"/bin/true\", words)", "'execv' is unavailable in"),
    Mistake(
        UNAVAILABLE, "macOS", VIEW, "text.autocorrectionDisabled()", "text.textInputAutocapitalization(.never)",
        "'textInputAutocapitalization' is unavailable in macOS"),
    Mistake(
        UNAVAILABLE, ("iOS", "tvOS", "watchOS", "visionOS"), "func NAME()", "_ = ProcessInfo.processInfo.environment",
        "_ = Process()", "cannot find 'Process' in scope"),
    Mistake(
        UNAVAILABLE, ("iOS", "tvOS", "watchOS", "visionOS"), "func NAME() -> URL",
        "FileManager.default.temporaryDirectory", "FileManager.default.homeDirectoryForCurrentUser", "has no member"),

    Mistake(
        UNAVAILABLE, "macOS", "func NAME()", "_ = BackgroundTask<Void, Void>.self",
        "_ = BackgroundTask<Void, Void>.appRefresh(\"refresh\")", "'appRefresh' is unavailable in macOS"),

    # What apps have, and their extensions do not.
    Mistake(
        EXTENSION, ("iOS", "tvOS", "visionOS"), "@MainActor func NAME() -> Int", "0",
        "UIApplication.shared.connectedScenes.count", "'shared' is unavailable in application extensions for"),
    Mistake(
        EXTENSION, ("macOS", "watchOS"), "func NAME()", "_ = getpid()", "onlyInApps()",
        "'onlyInApps()' is unavailable in application extensions for"),

    # What only newer systems have.
    Mistake(
        NEWER, "visionOS", "func NAME()",
        "if #available(visionOS 26.0, *) { WidgetCenter.shared.reloadAllTimelines() }",
        "WidgetCenter.shared.reloadAllTimelines()", "is only available in visionOS 26.0 or newer"),
    Mistake(
        NEWER, ALL, "func NAME()",
        "if #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) {\n"
        "_ = ASWebAuthenticationSession.Callback.customScheme(\"app\")\n}",
        "_ = ASWebAuthenticationSession.Callback.customScheme(\"app\")", "is only available in"),
    # The toolchain's own interfaces, which make up the rest of a stand-in. visionOS has had it from the beginning.
    Mistake(
        NEWER, ("iOS", "macOS", "tvOS", "watchOS"), "func NAME()",
        "if #available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, *) { withObservationTracking {} onChange: {} }",
        "withObservationTracking {} onChange: {}", "is only available in"),
    Mistake(
        NEWER, ("iOS", "macOS"), REGISTRATION,
        "if #available(iOS 17.4, macOS 13.5, *) { request.excludedCredentials = [] }", "request.excludedCredentials = []",
        "'excludedCredentials' is only available in"),
    Mistake(
        NEWER, "tvOS", SESSION, "if #available(tvOS 18.0, *) { controller.cancel() }", "controller.cancel()",
        "'cancel()' is only available in tvOS 18.0 or newer"),
    Mistake(
        NEWER, "tvOS", VIEW, "text.buttonStyle(.bordered)", "text.buttonStyle(.borderless)",
        "is only available in tvOS 17.0 or newer"),
    Mistake(
        NEWER, "macOS", VIEW, "text.textContentType(.username)", "text.textContentType(.emailAddress)",
        "'emailAddress' is only available in macOS 14.0 or newer"),

    # Isolation.
    Mistake(
        ISOLATION, EVERYWHERE,
        "func NAME(delegate: any ASAuthorizationControllerDelegate, controller: ASAuthorizationController, error: any Error)"
        " async",
        "_ = delegate",
        "let call = { delegate.authorizationController(controller: controller, didCompleteWithError: error) }\ncall()",
        "in a synchronous nonisolated context"),
    Mistake(
        ISOLATION, ("Linux", "iOS", "tvOS", "visionOS"), IN_APPS + "@MainActor func NAME() -> Int",
        "UIApplication.shared.connectedScenes.count",
        "let count: @Sendable () -> Int = { UIApplication.shared.connectedScenes.count }\nreturn count()",
        "main actor-isolated"),
    Mistake(
        ISOLATION, "macOS", "@MainActor func NAME() -> Int", "NSApplication.shared.windows.count",
        "let count: @Sendable () -> Int = { NSApplication.shared.windows.count }\nreturn count()", "main actor-isolated"),

    # Sending.
    Mistake(
        SENDABLE, EVERYWHERE, "func NAME(session: ASWebAuthenticationSession, kind: OSStatus)",
        "func send<Value: Sendable>(_ value: Value) {}\nsend(kind)",
        "func send<Value: Sendable>(_ value: Value) {}\nsend(session)", "'ASWebAuthenticationSession' does not conform to"),
    Mistake(
        SENDABLE, EVERYWHERE, "func NAME(service: DCAppAttestService, kind: OSStatus)",
        "let read: @Sendable () -> OSStatus = { kind }\n_ = read",
        "let read: @Sendable () -> Bool = { service.isSupported }\n_ = read", "non-Sendable type 'DCAppAttestService'"),

    # Optionals, errors, waiting.
    Mistake(
        OPTIONAL, EVERYWHERE, "func NAME(credential: ASAuthorizationAppleIDCredential) -> Data",
        "credential.identityToken ?? Data()", "credential.identityToken", "must be unwrapped"),
    Mistake(
        OPTIONAL, EVERYWHERE, "func NAME(bytes: Data) -> SecCertificate?", "SecCertificateCreateWithData(nil, bytes)",
        "let made: SecCertificate = SecCertificateCreateWithData(nil, bytes)\nreturn made", "must be unwrapped"),
    Mistake(
        AWAIT, EVERYWHERE, "func NAME() async throws -> String", "try await DCAppAttestService.shared.generateKey()",
        "try DCAppAttestService.shared.generateKey()", "expression is 'async' but is not marked with 'await'"),
    Mistake(
        TRY, EVERYWHERE, "func NAME() async throws -> String", "try await DCAppAttestService.shared.generateKey()",
        "await DCAppAttestService.shared.generateKey()", "call can throw but is not marked with 'try'"),
    Mistake(
        TRY, EVERYWHERE, "func NAME(box: AES.GCM.SealedBox, key: SymmetricKey) throws -> Data",
        "try AES.GCM.open(box, using: key, authenticating: Data())", "AES.GCM.open(box, using: key, authenticating: Data())",
        "call can throw but is not marked with 'try'"),

    # Labels.
    Mistake(
        LABEL, EVERYWHERE, "func NAME(key: SymmetricKey, text: Data) throws -> AES.GCM.SealedBox",
        "try AES.GCM.seal(text, using: key, authenticating: Data())",
        "try AES.GCM.seal(text, with: key, authenticating: Data())", "extra argument 'with' in call"),
    Mistake(
        LABEL, EVERYWHERE, "func NAME(controller: ASAuthorizationController)", "controller.performRequests()",
        "controller.performRequests(now: true)", "argument passed to call that takes no arguments"),

    # What should no longer be used, and what is not there.
    Mistake(
        DEPRECATED, ALL, "func NAME(trust: SecTrust)", "_ = SecTrustEvaluateWithError(trust, nil)",
        "var result = SecTrustResultType.invalid\n_ = SecTrustEvaluate(trust, &result)", "was deprecated in"),
    Mistake(
        DEPRECATED, "visionOS", VIEW, "text.onChange(of: 1) { _, _ in }", "text.onChange(of: 1) { _ in }",
        "was deprecated in visionOS 1.0"),
    Mistake(
        ABSENT, EVERYWHERE, SESSION, "controller.performRequests()", "controller.performAllRequests()", "has no member"),
    Mistake(
        ABSENT, ("macOS", "watchOS"), VIEW, "text.disabled(true)", "text.keyboardType(.emailAddress)", "has no member"),
]

# Frameworks that a system does not have.
MISSING_FRAMEWORKS = {
    "iOS": ("AppKit",), "macOS": ("UIKit", "BackgroundTasks"), "tvOS": ("LocalAuthentication", "WidgetKit"),
    "watchOS": ("UIKit", "BackgroundTasks"), "visionOS": ("AppKit",), "Linux": ("AppKit",),
}


def check(configuration):
    """Plants the mistakes of a configuration's system and returns how many were found: all of them."""
    system = configuration.name
    planted = [mistake for mistake in MISTAKES if system in mistake.systems]
    absent = set(KINDS_ON_LINUX if system == "Linux" else KINDS) - {mistake.kind for mistake in planted}
    if absent:
        raise toolchain.CompilerError(f"{system}: nothing is planted for {', '.join(sorted(absent))}.")
    status, said = compiled(configuration, "Right", [mistake.right for mistake in planted], planted)[:2]
    if status != 0:
        raise toolchain.CompilerError(f"{system}: what is right beside the planted mistakes is refused:\n{said}")
    _, said, lines = compiled(configuration, "Wrong", [mistake.wrong for mistake in planted], planted)
    complaints = [
        (int(number), text)
        for number, text in re.findall(r"Wrong\.swift:(\d+):\d+: error: ([^\n]*)", said)
    ]
    for mistake, (first, last) in zip(planted, lines):
        if not any(first <= number <= last and mistake.complaint in text for number, text in complaints):
            here = "\n".join(text for number, text in complaints if first <= number <= last)
            raise toolchain.CompilerError(
                f"{system}: this mistake ({mistake.kind}) was not found:\n{mistake.wrong}\nwanted: {mistake.complaint}\n"
                f"said here: {here or 'nothing'}")
    for framework in MISSING_FRAMEWORKS[system]:
        if f"no such module '{framework}'" not in type_checked(configuration, "Missing", f"import {framework}\n")[1]:
            raise toolchain.CompilerError(f"{system}: {framework} was imported, which it does not have.")
    return len(planted) + len(MISSING_FRAMEWORKS[system])


def compiled(configuration, name, bodies, planted):
    """What the compiler says of a file with all the bodies, and the lines on which each of them stands."""
    text, lines = BEGINNING, []
    for number, (mistake, body) in enumerate(zip(planted, bodies)):
        first = text.count("\n") + 1
        text += mistake.written(number, body)
        lines.append((first, text.count("\n")))
    return *type_checked(configuration, name, text), lines


def type_checked(configuration, name, text):
    path = os.path.join(configuration.drafts, f"{name}.swift")
    with open(path, "w") as file:
        file.write(text)
    return toolchain.frontend(
        "-typecheck", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", *IN_EXTENSION, *configuration.flags,
        path,
        check=False)
