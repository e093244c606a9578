import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import InsForge
import Testing

extension InsForgeAuthError {
    /// The error for a cause that has no case of its own.
    static func failed(_ error: some IdentityFailure) -> InsForgeAuthError {
        .failed(code: error.failureCode, message: error.message, failureClass: error.failureClass)
    }
}

/// Every call of the client fails with `InsForgeAuthError`, or with the cancellation of its task.
@Suite struct ClientErrorTests {
    private typealias Call = @Sendable (InsForgeAuthClient) async throws -> Void

    private static let id = "01900000-0000-7000-8000-000000000001"

    private static let calls: [(name: String, call: Call)] = [
        ("signUp", { _ = try await $0.signUp(email: "eva@example.org", password: "Kn0wledge!") }),
        ("signIn", { try await $0.signIn(email: "ada@example.org", password: "x") }),
        ("signIn", { try await $0.signIn(email: "ada@example.org", code: "123456") }),
        ("signIn", { try await $0.signIn(with: .google(token: Secret("token"))) }),
        ("signInWithOAuthView", { try await $0.signInWithOAuthView(provider: .google, redirectTo: "example://cb") }),
        ("signInWithOAuthView", { try await $0.signInWithOAuthView(providerKey: "own", redirectTo: "example://cb") }),
        ("hasDefaultView", { _ = try await $0.hasDefaultView() }),
        (
            "handleAuthCallback",
            { try await $0.handleAuthCallback(#require(URL(string: "example://cb?insforge_code=1"))) }
        ),
        ("verifyEmail", { try await $0.verifyEmail(email: "ada@example.org", code: "123456") }),
        ("verifyEmail", { try await $0.verifyEmail(email: "ada@example.org", otp: "123456") }),
        (
            "resendVerificationEmail",
            { try await $0.resendVerificationEmail(email: "ada@example.org", redirectTo: "a://b") }
        ),
        ("sendEmailVerification", { try await $0.sendEmailVerification(email: "ada@example.org") }),
        ("sendSignInCode", { try await $0.sendSignInCode(email: "ada@example.org") }),
        ("sendPasswordReset", { try await $0.sendPasswordReset(email: "ada@example.org", redirectTo: "a://b") }),
        ("exchangeResetPasswordToken", { _ = try await $0.exchangeResetPasswordToken(email: "a@b.c", code: "1") }),
        ("resetPassword", { try await $0.resetPassword(otp: "1", newPassword: "Kn0wledge!") }),
        ("getCurrentUser", { _ = try await $0.getCurrentUser() }),
        ("setProfile", { try await $0.setProfile(["nick": "ada"] as [String: String]) }),
        ("setProfile", { try await $0.setProfile(["age": 36] as [String: JSONValue]) }),
        ("updateProfile", { try await $0.updateProfile(["nick": Date()]) }),
        ("getProfile", { _ = try await $0.getProfile(userId: id) }),
        ("getPublicConfig", { _ = try await $0.getPublicConfig() }),
        ("rotateAnonKey", { _ = try await $0.rotateAnonKey(adminToken: Secret("line\nend")) }),
        ("accessToken", { _ = try await $0.accessToken() }),
        ("accessToken", { _ = try await $0.accessToken(replacing: "x") }),
        ("getAccessToken", { _ = try await $0.getAccessToken() }),
        ("refreshAccessToken", { try await $0.refreshAccessToken() }),
        ("signOut", { try await $0.signOut() }),
    ]

    /// A fault in the client's surroundings.
    enum Trouble: CaseIterable {
        case none, offline, cancelled, noStore, fullStore, wrongAddress, noRandomness, unusableKey
    }

    @Test("No other error comes out of a client", arguments: Trouble.allCases)
    func documented(trouble: Trouble) async throws {
        let store = FaultyTokenStore()
        try await InsForgeFixture.run(store: store) { fixture in
            _ = try await fixture.signedInClient().auth.accessToken()
            switch trouble {
            case .none, .cancelled, .noRandomness, .unusableKey, .wrongAddress: break
            case .offline: await fixture.server.stop()
            case .noStore: store.fail(.read, with: TokenStoreError.locked(detail: "x"))
            case .fullStore: store.fail(.write, with: TokenStoreError.full(path: "x"))
            }
            for (name, call) in Self.calls {
                let auth = fixture.client(anonKey: trouble == .unusableKey ? "" : nil) {
                    if trouble == .noRandomness { $0.random = RandomSource { _ in throw RandomnessError() } }
                    if trouble == .wrongAddress { $0.global.allowsLoopbackHTTP = false }
                    $0.auth.browser = ScriptedBrowser { _ in throw CancellationError() }
                }.auth
                let task = Task { try await call(auth) }
                if trouble == .cancelled { task.cancel() }
                do {
                    try await task.value
                } catch {
                    #expect(error is InsForgeAuthError || error is CancellationError, "\(name): \(error)")
                    #expect(!error.identityMessage.isEmpty)
                }
            }
        }
    }

    @Test("The list has every call that throws")
    func complete() throws {
        let files = try Source.files(in: "Providers/InsForge/Client").filter { $0.0.hasPrefix("InsForgeAuthClient") }
        let declared = files.flatMap {
            $0.1.matches(of: /public func (\w+)\([^{]*\) async throws/).map { String($0.output.1) }
        }
        #expect(declared.count > 25 && Set(declared) == Set(Self.calls.map(\.name)))
    }

    @Test(
        "An anonymous key that no header can carry is a wrong key",
        arguments: ["", "anon\n", "anon 1\r\n", "schlüssel"])
    func unusableKey(key: String) async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client(anonKey: key)
            await #expect(throws: InsForgeAuthError.invalidKey) {
                try await client.auth.signUp(email: "eva@example.org", password: "Kn0wledge!")
            }
            #expect(fixture.server.http.log.isEmpty)
            client.setAnonKey(fixture.server.anonKey)
            _ = try await client.auth.signUp(email: "eva@example.org", password: "Kn0wledge!")
        }
    }

    @Test("A sign-in that the person has cancelled has a sentence")
    func cancelled() async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client { $0.auth.browser = ScriptedBrowser { _ in throw CancellationError() } }
            let error = await #expect(throws: InsForgeAuthError.cancelled) {
                try await client.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            }
            #expect(error?.message == "The sign-in was cancelled." && error?.localizedDescription == error?.message)
        }
    }
}
