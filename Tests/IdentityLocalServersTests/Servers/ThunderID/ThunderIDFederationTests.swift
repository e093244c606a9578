import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID federated sign-in", .stopsServers)
struct ThunderIDFederationTests {
    typealias Connection = LocalThunderIDServer.Connection

    @Test("The browser is sent away and brings back a code and the state")
    func redirection() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.federated(Connection())]))
        let step = try await visitor.startSignIn(verbose: true)
        #expect(step.flowStatus == "INCOMPLETE" && step["type"] == "REDIRECTION")
        #expect(step.identifiers == ["code"])
        #expect(step.actions.isEmpty)
        #expect(step.additional("idpName") == "Upstream")
        let callback = try await visitor.visitUpstream(step)
        #expect(callback.absoluteString.hasPrefix("com.example.app://federated?"))
        let done = try await visitor.resume(
            step,
            inputs: [
                "code": try #require(callback.parameter("code")),
                "state": try #require(callback.parameter("state")),
            ])
        let assertion = try claims(of: done["assertion"])
        #expect(assertion["sub"]?.stringValue == visitor.server.user.id)
        #expect(
            assertion["assurance"]?["authenticators"]?.arrayValue?.first?["authenticator"] == "OIDCAuthenticator")
    }

    @Test("A wrong state fails; no state at all is not noticed")
    func state() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.federated(Connection())]))
        let step = try await visitor.startSignIn()
        let code = try #require(try await visitor.visitUpstream(step).parameter("code"))
        let forged = try await visitor.resume(step, inputs: ["code": code, "state": "forged"])
        #expect(forged.flowStatus == "ERROR" && forged.errorCode == "FET-1012")
        let unchecked = try await visitor.resume(step, inputs: ["code": code])
        #expect(unchecked.flowStatus == "COMPLETE", "the client has to compare")
    }

    @Test("A code of the other provider counts once, and must be one")
    func code() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.federated(Connection())]))
        let wrong = try await visitor.resume(try await visitor.startSignIn(), inputs: ["code": "guess"])
        #expect(wrong.errorCode == "FET-1013")
        let step = try await visitor.startSignIn()
        let code = try #require(try await visitor.visitUpstream(step).parameter("code"))
        #expect(try await visitor.resume(step, inputs: ["code": code]).flowStatus == "COMPLETE")
        let again = try await visitor.resume(try await visitor.startSignIn(), inputs: ["code": code])
        #expect(again.errorCode == "FET-1013")
    }

    @Test("A user whom the server does not know is not signed in")
    func unknownUser() async throws {
        let connection = Connection(answer: .signsIn(userID: "nobody"))
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.federated(connection)]))
        let step = try await visitor.startSignIn()
        let code = try #require(try await visitor.visitUpstream(step).parameter("code"))
        #expect(try await visitor.resume(step, inputs: ["code": code]).errorCode == "FET-1014")
    }

    @Test("The other provider may refuse, and tells the redirect URI")
    func refusal() async throws {
        let connection = Connection(answer: .refuses(error: "access_denied"))
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.federated(connection)]))
        let step = try await visitor.startSignIn()
        let callback = try await visitor.visitUpstream(step)
        #expect(callback.parameter("error") == "access_denied")
        #expect(callback.parameter("state") != nil)
        let again = try await visitor.resume(step)
        #expect(again["type"] == "REDIRECTION", "a call without a code asks for one again")
    }

    @Test("It works as one of several options, and within an authorization request")
    func redirectOption() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.password, .federated(Connection())]))
        let page = try #require(try await visitor.authorize().location)
        let chooser = try await visitor.flow(["executionId": .string(page.parameter("executionId") ?? "")])
        let step = try await visitor.resume(chooser, action: "action_upstream")
        let code = try #require(try await visitor.visitUpstream(step).parameter("code"))
        let done = try await visitor.resume(step, inputs: ["code": code])
        #expect(
            try claims(of: done["assertion"])["authorization_request_id"]?.stringValue == page.parameter("authId"))
    }
}

extension ThunderIDVisitor {
    /// Does what a browser does with a redirection, up to the redirect URI.
    func visitUpstream(_ step: Answer) async throws -> URL {
        let address = try #require(step["data"]?["redirectURL"]?.stringValue.flatMap(URL.init(string:)))
        #expect(address.parameter("state") != nil)
        #expect(address.parameter("nonce") != nil)
        let query = try #require(address.query)
        return try #require(try await get("\(address.path)?\(query)").location)
    }
}
