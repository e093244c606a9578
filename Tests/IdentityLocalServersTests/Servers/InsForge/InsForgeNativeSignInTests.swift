import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// Sign-in with a token of Google or Apple (Backends/InsForge.md#native-sign-in).
@Suite(.stopsServers) struct InsForgeNativeSignInTests {
    /// A raw nonce, and its SHA-256 as another program computes it.
    private static let nonce = "raw-nonce-1"
    private static let hash = "bef53b3c45cc1de4b7ef424e18831896dc04065c79b42250431fa69cd123e1e3"

    private static func both(_ configuration: inout LocalInsForgeServer.Configuration) {
        configuration.oAuthProviders = ["apple", "google"]
    }

    private func signIn(_ body: JSONValue, _ probe: InsForgeProbe) async throws -> LocalAnswer {
        try await probe.send("POST", "/api/auth/id-token?client_type=mobile", body)
    }

    private func apple(
        _ token: String, nonce: String = nonce, name: String? = nil, _ probe: InsForgeProbe
    ) async throws -> LocalAnswer {
        var body: [String: JSONValue] = ["provider": "apple", "token": .string(token), "nonce": .string(nonce)]
        if let name { body["name"] = .string(name) }
        return try await signIn(.object(body), probe)
    }

    @Test("Apple's token needs the hash of the very nonce that is sent")
    func appleNonce() async throws {
        let probe = try await InsForgeProbe.start(Self.both)
        let good = try probe.server.nativeIDToken(from: .apple, nonce: Self.hash)
        #expect(try await apple(good, probe).status == 200)
        let refusal = Failure.unauthorized("Failed to verify Apple ID token")
        #expect(try await apple(good, nonce: "raw-nonce-2", probe).failure == refusal)
        let plain = try probe.server.nativeIDToken(from: .apple, nonce: Self.nonce)
        #expect(try await apple(plain, probe).failure == refusal)
        let none = try probe.server.nativeIDToken(from: .apple)
        #expect(try await apple(none, probe).failure == refusal)
        let other = try probe.server.nativeIDToken(from: .apple, audience: "org.example.other", nonce: Self.hash)
        #expect(try await apple(other, probe).failure == refusal)
        let google = try probe.server.nativeIDToken(from: .google, nonce: Self.hash)
        #expect(try await apple(google, probe).failure == refusal)
        probe.clock.advance(by: .seconds(601))
        #expect(try await apple(good, probe).failure == refusal)
    }

    @Test("Apple's body is strict, and its nonce is no blank")
    func appleBody() async throws {
        let probe = try await InsForgeProbe.start(Self.both)
        let extra = try await signIn(["provider": "apple", "token": "t", "nonce": "n", "email": "e"], probe)
        #expect(extra.failure.message == ": Unrecognized key(s) in object: 'email'")
        #expect(try await signIn(["provider": "apple", "token": "t"], probe).text("message") == "nonce: Required")
        #expect(try await apple("t", nonce: "  ", probe).status == 400)
        #expect(try await apple("t", nonce: String(repeating: "n", count: 256), probe).status == 400)
        #expect(
            try await signIn(["provider": "github", "token": "t"], probe).failure
                == .invalid("provider: Invalid discriminator value. Expected 'google' | 'apple'"))
    }

    @Test(
        "A brand-new user is shown without providers; Apple vouches for the address of a new one, and knows the others")
    func newUsers() async throws {
        let probe = try await InsForgeProbe.start(Self.both)
        let identity = LocalInsForgeServer.ProviderIdentity(subject: "001.a", email: "mira@example.org", name: "")
        let unverified = try probe.server.nativeIDToken(
            from: .apple, for: identity, nonce: Self.hash, emailVerified: false)
        #expect(
            try await apple(unverified, probe).failure
                == .invalid("A verified email address is required to create or link an OAuth account."))
        let token = try probe.server.nativeIDToken(from: .apple, for: identity, nonce: Self.hash)
        let first = try await apple(token, name: "Mira K.", probe)
        let user = first.json["user"]
        #expect(user?["providers"] == nil && user?["metadata"] == .null)
        #expect(user?["profile"]?["name"] == "Mira K.")
        #expect(!first.text("refreshToken").isEmpty)
        // From now on the account is known by its subject.
        let again = try await apple(unverified, probe)
        #expect(again.json["user"]?["id"] == user?["id"])
        #expect(again.json["user"]?["providers"] == ["apple"])
    }

    @Test("Google's failures are bad input, and its audience is the configured client")
    func google() async throws {
        let probe = try await InsForgeProbe.start(Self.both)
        let good = try probe.server.nativeIDToken(from: .google)
        #expect(try await signIn(["provider": "google", "token": .string(good), "more": 1], probe).status == 200)
        let refusal = Failure.invalid("Failed to verify Google ID token")
        let other = try probe.server.nativeIDToken(from: .google, audience: "other")
        for token in [other, "nonsense", good + "x"] {
            #expect(try await signIn(["provider": "google", "token": .string(token)], probe).failure == refusal)
        }
    }

    @Test("What is not configured verifies nothing, and a closed sign-up admits no new user")
    func closed() async throws {
        let probe = try await InsForgeProbe.start {
            $0.oAuthProviders = ["google"]; $0.disableSignup = true
        }
        let token = try probe.server.nativeIDToken(from: .apple, nonce: Self.hash)
        #expect(try await apple(token, probe).status == 401)
        let stranger = try probe.server.nativeIDToken(
            from: .google, for: .init(email: "stranger@example.org", name: "S."))
        #expect(
            try await signIn(["provider": "google", "token": .string(stranger)], probe).failure
                == Failure(403, "AUTH_SIGNUP_DISABLED", "User signups are disabled for this project."))
    }
}
