import Foundation
import Testing

/// The checklist of a faithful local server, each point with the tests that prove it.
@Suite("ThunderID server checklist")
struct ThunderIDChecklistTests {
    struct Point: Sendable, CustomTestStringConvertible {
        let number: Int
        let promise: String
        /// `Suite.function`
        let tests: [String]

        init(_ number: Int, _ promise: String, _ tests: [String]) {
            self.number = number
            self.promise = promise
            self.tests = tests
        }

        var testDescription: String { "\(number): \(promise)" }
    }

    static let points = [
        Point(
            1, "an execution keeps what the contract says, and lives until an absolute time",
            [
                "ThunderIDFlowTests.inputsAccumulate", "ThunderIDFlowTests.absoluteLifetime",
                "ThunderIDFlowTests.chosenActionIsRemembered", "ThunderIDAnswerTests.verboseStaysVerbose",
            ]),
        Point(
            2, "who may start a flow directly",
            [
                "ThunderIDFlowInitiationTests.directInitiation", "ThunderIDFlowInitiationTests.disabledFlows",
                "ThunderIDLinkTests.onboardingGuard",
            ]),
        Point(
            3, "lenient decoding, strings only as values, trimmed",
            [
                "ThunderIDFlowInitiationTests.lenientDecoding", "ThunderIDFlowInitiationTests.undecodable",
                "ThunderIDInputTests.valuesAreStrings", "ThunderIDFlowTests.valuesAreSanitized",
            ]),
        Point(
            4, "challenge tokens",
            [
                "ThunderIDFlowTests.challengeToken", "ThunderIDFlowTests.challengeTokenRotates",
                "ThunderIDLinkTests.magicLink", "ThunderIDEndingTests.lostChallengeToken",
                "ThunderIDEndingTests.errorIsNotTheEnd",
            ]),
        Point(
            5, "prompt logic with the shipped flows",
            [
                "ThunderIDFlowTests.failureForgetsInputs", "ThunderIDFlowTests.unknownAction",
                "ThunderIDFlowTests.unknownUser", "ThunderIDFlowTests.emptyValue",
                "ThunderIDShippedFlowTests.registration", "ThunderIDShippedFlowTests.userTypes",
                "ThunderIDShippedFlowTests.signUpWithinSignIn", "ThunderIDShippedFlowTests.recovery",
                "ThunderIDLinkTests.recoveryWithinSignIn", "ThunderIDLinkTests.bareTokenPrompt",
                "ThunderIDInputTests.fieldErrors", "ThunderIDInputTests.optionalInput",
            ]),
        Point(
            6, "data always, and nothing that is empty",
            ["ThunderIDAnswerTests.members", "ThunderIDReplayTests.nativeSession"]),
        Point(
            7, "a completed execution is gone, and calls fail in the API envelope",
            ["ThunderIDFlowTests.completionDeletes", "ThunderIDReplayTests.nativeSession"]),
        Point(
            8, "assertions, native and for an authorization request",
            [
                "ThunderIDShippedFlowTests.nativeAssertion", "ThunderIDAnswerTests.redirectAssertion",
                "ThunderIDServiceTests.assertionAsBearer", "ThunderIDTokenTests.exchangeOfAssertion",
                "ThunderIDEndingTests.errorAssertion",
            ]),
        Point(
            9, "the authorization endpoint",
            [
                "ThunderIDAuthorizationTests.signInPage", "ThunderIDAuthorizationTests.untrustedRedirect",
                "ThunderIDAuthorizationTests.errorsForTheClient", "ThunderIDVariationTests.pushedRequests",
                "ThunderIDChooserTests.authenticationClass",
            ]),
        Point(
            10, "the authorization callback",
            [
                "ThunderIDAuthorizationTests.authorizationResponse", "ThunderIDAuthorizationTests.singleUse",
                "ThunderIDAuthorizationTests.assertionOfAnotherRequest",
                "ThunderIDAuthorizationTests.nativeAssertionAtCallback",
            ]),
        Point(
            11, "form bodies only, burnt codes, no storing",
            [
                "ThunderIDTokenTests.jsonBody", "ThunderIDTokenTests.bearerHeader", "ThunderIDTokenTests.codeIsBurnt",
                "ThunderIDReplayTests.openIDConnectSession", "ThunderIDClientAssertionTests.assertion",
                "ThunderIDProofTests.binding",
            ]),
        Point(
            12, "rotation, replay, absolute expiry, narrowing",
            [
                "ThunderIDRefreshTests.refresh", "ThunderIDRefreshTests.replay", "ThunderIDRefreshTests.absoluteExpiry",
                "ThunderIDRefreshTests.scopes", "ThunderIDTokenTests.revocation", "ThunderIDProofTests.refresh",
            ]),
        Point(
            13, "revocation answers 200 with nothing, whatever the token is",
            ["ThunderIDTokenTests.revocation", "ThunderIDReplayTests.openIDConnectSession"]),
        Point(
            14, "two keys, one of which signs nothing",
            ["ThunderIDServiceTests.decoyKey", "ThunderIDVariationTests.ellipticKey"]),
        Point(
            15, "everything that tests can switch",
            [
                "ThunderIDServiceTests.configuredIssuer", "ThunderIDVariationTests.pathPrefix",
                "ThunderIDVariationTests.ellipticKey", "ThunderIDLostAnswerTests.lateAnswer",
                "ThunderIDLostAnswerTests.failureBeforeActing", "ThunderIDLostAnswerTests.failureAfterActing",
                "ThunderIDLostAnswerTests.brokenResponse",
                "ThunderIDInputTests.everyType", "ThunderIDInputTests.textualDescription",
                "ThunderIDEndingTests.noAssertion", "ThunderIDEndingTests.displayOnly",
                "ThunderIDEndingTests.promptless", "ThunderIDEndingTests.refusal",
                "ThunderIDFederationTests.redirection", "ThunderIDFederationTests.state",
                "ThunderIDPasskeyTests.enrolment", "ThunderIDPasskeyTests.damagedAnswer",
                "ThunderIDCodeTests.secondFactor", "ThunderIDCodeTests.wrongCode",
                "ThunderIDConsentTests.partialConsent",
                "ThunderIDLinkTests.onboarding", "ThunderIDLinkTests.invitedRegistration",
                "ThunderIDSessionTests.session", "ThunderIDSessionTests.redirectSignOut",
                "ThunderIDChooserTests.options", "ThunderIDVariationTests.resource",
                "ThunderIDVariationTests.signedUserInfo", "ThunderIDProofTests.required",
            ]),
        Point(
            16, "no SCIM, and the own record instead",
            [
                "ThunderIDServiceTests.unroutedPaths", "ThunderIDAnswerTests.ownRecord",
                "ThunderIDServiceTests.refusedAttributes",
            ]),
        Point(
            17, "flow metadata and its texts",
            [
                "ThunderIDMetadataTests.templates", "ThunderIDMetadataTests.ownTexts",
                "ThunderIDFlowInitiationTests.metadataErrors",
            ]),
    ]

    @Test("Every point has tests that exist", arguments: points)
    func point(_ point: Point) throws {
        #expect(!point.tests.isEmpty)
        let existing = try Self.existingTests()
        for name in point.tests { #expect(existing.contains(name), "there is no test \(name)") }
    }

    @Test("No point is missing")
    func numbers() {
        #expect(Self.points.map(\.number) == Array(1...17))
    }

    /// Every function marked as a test in this folder's sources, with its suite.
    private static func existingTests() throws -> Set<String> {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files =
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
        return Set(try files.flatMap { try tests(in: String(contentsOf: $0, encoding: .utf8)) })
    }

    private static func tests(in source: String) -> [String] {
        var suite = ""
        var isMarked = false
        var names: [String] = []
        for line in source.split(separator: "\n") {
            if line.hasPrefix("struct ") {
                suite = String(line.dropFirst("struct ".count).prefix { $0.isLetter || $0.isNumber })
            }
            if line.hasPrefix("    @Test") { isMarked = true }
            guard line.hasPrefix("    func ") else { continue }
            let name = line.dropFirst("    func ".count).prefix { $0 != "(" }
            if isMarked { names.append("\(suite).\(name)") }
            isMarked = false
        }
        return names
    }
}
