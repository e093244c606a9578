import IdentityKit
import IdentityTesting
import Testing

@Suite struct FakingAnIdentity {
    @Test("A session that has ended is an error, and a new one has a token")
    func newSession() async throws {
        // snippet: faking-an-identity
        let identity = FakeIdentity(.expired("ada"))
        await #expect(throws: SessionError.self) { try await identity.token(scopes: ["mail"]) }

        identity.answer = .signedIn(as: "ada", token: "a token")
        #expect(try await identity.token(scopes: ["mail"]) == "a token")
        // end snippet
    }
}
