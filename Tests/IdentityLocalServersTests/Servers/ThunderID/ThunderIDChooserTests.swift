import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID choice between ways to sign in, and step-up", .stopsServers)
struct ThunderIDChooserTests {
    private static let flow = LocalThunderIDServer.SignInFlow(methods: [.password, .oneTimeCode(.email), .magicLink])

    @Test("The options are actions without inputs, and one must be chosen")
    func options() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: Self.flow)
        let chooser = try await visitor.startSignIn(verbose: true)
        #expect(chooser.actions == ["action_password", "action_email_otp", "action_magic_link"])
        #expect(chooser["data"]?["inputs"] == nil)
        #expect(chooser.componentIDs.contains("action_email_otp"))
        let again = try await visitor.resume(chooser)
        #expect(again.actions.count == 3)
        let prompt = try await visitor.resume(again, action: "action_password")
        #expect(prompt.identifiers == ["username", "password"])
    }

    @Test("An option that was not offered is an error here, and the chooser stays")
    func invalidOption() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: Self.flow)
        let chooser = try await visitor.startSignIn()
        let refused = try await visitor.resume(chooser, action: "action_001")
        #expect(refused.flowStatus == "ERROR" && refused.errorCode == "FLC-1002")
        let prompt = try await visitor.resume(chooser, action: "action_password")
        #expect(prompt.identifiers == ["username", "password"])
    }

    @Test("A demanded class narrows the options, and the only one left is taken at once")
    func authenticationClass() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: Self.flow)
        let several = try await visitor.firstStep(["acr_values": "urn:thunder:acr:generated-code"])
        #expect(several.actions == ["action_email_otp", "action_magic_link"])
        #expect(try await visitor.resume(several, action: "action_password").errorCode == "FLC-1002")
        let one = try await visitor.firstStep(["acr_values": "urn:thunder:acr:password"])
        #expect(one.identifiers == ["username", "password"])
        #expect(one.actions.first == "action_001")
    }

    @Test("The class that was reached is in the assertion and in the ID token, and no refresh repeats it")
    func reachedClass() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: Self.flow)
        let page = try #require(try await visitor.authorize(["acr_values": "urn:thunder:acr:password"]).location)
        let done = try await visitor.passPassword(at: page)
        #expect(try claims(of: done["assertion"])["completed_auth_class"] == "urn:thunder:acr:password")
        let tokens = try await visitor.redeem(try await visitor.code(for: page, done))
        #expect(try claims(of: tokens["id_token"])["acr"] == "urn:thunder:acr:password")
        let refreshed = try await visitor.refresh(tokens["refresh_token"])
        #expect(try claims(of: refreshed["id_token"])["acr"] == nil)
    }

    @Test("A demand that the flow cannot meet ends it")
    func unreachableClass() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let page = try #require(try await visitor.authorize(["acr_values": "urn:example:gold"]).location)
        let refused = try await visitor.passPassword(at: page)
        #expect(refused.flowStatus == "ERROR" && refused.errorCode == "FET-1082")
        #expect(refused["errorAssertion"] != nil)
    }
}

extension ThunderIDVisitor {
    /// The first answer of the flow behind a sign-in page.
    fileprivate func firstStep(_ changes: [String: String?]) async throws -> Answer {
        let page = try #require(try await authorize(changes).location)
        return try await flow(["executionId": .string(try #require(page.parameter("executionId")))])
    }

    /// The code for an assertion.
    func code(for page: URL, _ done: Answer) async throws -> String {
        let answer = try await post(
            "/oauth2/auth/callback",
            json: [
                "authId": .string(try #require(page.parameter("authId"))), "assertion": done["assertion"] ?? .null,
            ])
        let address = try #require(answer["redirect_uri"]?.stringValue.flatMap(URL.init(string:)))
        return try #require(address.parameter("code"))
    }
}
