import Foundation
import IdentityKit
import Testing

@Suite("A step-up goes on with the session it is of")
struct CredentialStepUpTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func credential(
        _ accessToken: Secret, refreshToken: Secret? = nil, clientID: String = "app",
        _ configure: (inout Credential) -> Void = { _ in }
    ) -> Credential {
        var credential = Credential(
            accessToken: accessToken, refreshToken: refreshToken, scopes: ["openid"], issuedAt: Self.now,
            expiresAt: Self.now + 3600, signedInAt: Self.now, backend: "https://id.example", clientID: clientID)
        configure(&credential)
        return credential
    }

    private var previous: Credential {
        credential("old", refreshToken: "kept") {
            $0.idToken = "old ID token"
            $0.sessionEndsAt = Self.now + 86_400
            $0.profile = AccountProfile(displayName: "Ada Lovelace", email: "ada@example.org")
        }
    }

    @Test("without a refresh token of its own, it keeps the old one, with the end of its session")
    func keepsRefreshToken() {
        let next = credential("new") { $0.profile = AccountProfile(displayName: "Ada King") }.steppingUp(previous)
        #expect(next.accessToken == "new")
        #expect(next.refreshToken == "kept")
        #expect(next.sessionEndsAt == Self.now + 86_400)
        #expect(next.idToken == "old ID token")
        #expect(next.profile == AccountProfile(displayName: "Ada King", email: "ada@example.org"))
    }

    @Test("with a refresh token of its own, that and its end count")
    func hasItsOwn() {
        let next = credential("new", refreshToken: "own") { $0.idToken = "new ID token" }.steppingUp(previous)
        #expect(next.refreshToken == "own")
        #expect(next.sessionEndsAt == nil)
        #expect(next.idToken == "new ID token")
    }

    @Test("the vendor whose token began the session may still end it, unless another one's token takes its place")
    func keepsNativeGrant() {
        func grant(_ user: String) -> [String: JSONValue] {
            NativeGrant.detail("apple", NativeSignIn.Answer(token: "t", user: user))
        }
        var begun = previous
        begun.details = grant("ada").merging(["other": true]) { $1 }
        let next = credential("new") { $0.details = ["own": true] }.steppingUp(begun)
        #expect(next.nativeGrant?.user == "ada" && next.details["own"] == true && next.details["other"] == nil)
        #expect(credential("new") { $0.details = grant("grace") }.steppingUp(begun).nativeGrant?.user == "grace")
        #expect(credential("new", clientID: "another").steppingUp(begun).nativeGrant == nil)
        #expect(credential("new").steppingUp(previous).details.isEmpty)
    }

    @Test("a session of another client lends nothing: its refresh token belongs to that client")
    func anotherClient() {
        let new = credential("new", clientID: "another")
        #expect(new.steppingUp(previous) == new)
    }
}
