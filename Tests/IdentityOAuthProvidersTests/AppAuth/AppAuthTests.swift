import Foundation
import IdentityKit
import IdentityTesting
import IdentityOAuth
import IdentityOAuthProviders
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app that moves here from AppAuth.
@Suite struct AppAuthTests {
    /// No request is sent.
    private struct Unreachable: HTTPTransport {
        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            Issue.record("a request is sent to \(request.url?.absoluteString ?? "")")
            throw URLError(.notConnectedToInternet)
        }
    }

    private let clock = ManualClock()
    private let store = MemoryTokenStore()

    private func provider(
        issuer: String = "https://id.example.com", clientID: String = "app"
    ) -> OAuthSessionProvider {
        OAuthSessionProvider(
            OpenIDConnectSettings(issuer: issuer, clientID: clientID).server,
            context: ProviderContext(
                name: "work",
                environment: IdentityEnvironment(store: store, transport: Unreachable(), time: clock.dates)))
    }

    private func kept(_ archive: Data, account: String? = nil) throws -> ExternalSession {
        try provider().keptSession(ofAppAuth: archive, account: account) {}
    }

    private func code(_ archive: Data, account: String? = nil) -> String? {
        #expect(throws: SessionImportError.self) { try kept(archive, account: account) }?.failureCode
    }

    @Test("The tokens of an archive are read, however their texts are archived")
    func reads() throws {
        for archive in [AppAuthSamples.signedIn, AppAuthSamples.mutableStrings] {
            let session = try kept(archive)
            let credential = session.credential
            #expect(session.account == "ada" && session.source == "AppAuth")
            #expect(credential.accessToken == "ACCESS" && credential.refreshToken == "REFRESH")
            #expect(credential.idToken != nil && credential.clientID == "app" && credential.tokenType == "Bearer")
            #expect(credential.scopes == ["openid", "profile"])
            #expect(credential.expiresAt == Date(timeIntervalSinceReferenceDate: 1_000_000_000))
            #expect(credential.backend == "https://id.example.com" && credential.profile?.displayName == "Ada")
        }
    }

    @Test("A token that AppAuth would refresh is refreshed here; one that cannot be lasts as long as it says")
    func expiry() throws {
        let due = try kept(AppAuthSamples.needsRefresh).credential
        #expect(!due.isValid(at: clock.now) && !due.hasEnded(at: clock.now))
        let alone = try kept(AppAuthSamples.withoutRefreshToken).credential
        #expect(alone.refreshToken == nil)
        #expect(alone.expiresAt == Date(timeIntervalSinceReferenceDate: 1_000_000_000))
        let refreshable = try kept(AppAuthSamples.refreshTokenAlone, account: "ada").credential
        #expect(refreshable.refreshToken == "REFRESH" && !refreshable.isValid(at: clock.now))
    }

    @Test("Where no ID token was kept the app says who signed in; otherwise both must agree")
    func account() throws {
        #expect(code(AppAuthSamples.withoutIDToken) == "takeover_unreadable")
        #expect(try kept(AppAuthSamples.withoutIDToken, account: "ada").account == "ada")
        #expect(try kept(AppAuthSamples.signedIn, account: "ada").account == "ada")
        #expect(code(AppAuthSamples.signedIn, account: "grace") == "takeover_unreadable")
    }

    @Test("What is no session is told apart")
    func refused() {
        #expect(code(AppAuthSamples.xml) == "takeover_unsupported")
        #expect(code(AppAuthSamples.wrapped) == "takeover_unsupported")
        for archive in [
            AppAuthSamples.failed, AppAuthSamples.cycle, AppAuthSamples.otherClass, AppAuthSamples.otherKey, Data(),
            Data("bplist00".utf8), Data(repeating: 0, count: 2 << 20),
        ] {
            #expect(code(archive, account: "ada") == "takeover_unreadable")
        }
    }

    @Test("The session is stored and the archive removed, for its own issuer and client alone")
    func takesOver() async throws {
        let isRemoved = Locked(false)
        func importSession(by provider: OAuthSessionProvider) async throws -> SessionImportResult {
            let kept = try provider.keptSession(ofAppAuth: AppAuthSamples.signedIn) {
                isRemoved.withLock { $0 = true }
            }
            return try await provider.sessions.importSession(kept)
        }
        for other in [provider(issuer: "https://other.example.com"), provider(clientID: "other")] {
            let error = await #expect(throws: SessionImportError.self) { try await importSession(by: other) }
            #expect(error?.failureCode == "takeover_foreign")
        }
        #expect(!isRemoved.withLock { $0 })
        let provider = provider()
        #expect(try await importSession(by: provider) == .takenOver)
        #expect(isRemoved.withLock { $0 })
        let account = try #require(try await provider.silentAccount(scopes: [], deviceToken: "d").account)
        #expect(account == AccountID(account: "ada", realm: "work"))
        #expect(try await provider.accessToken(for: account, scopes: ["profile"]) == "ACCESS")
    }

    @Test("No archive ends the process, whatever was done to it")
    func mutated() {
        var random = Numbers(state: 20_260_101)
        for sample in [AppAuthSamples.signedIn, AppAuthSamples.mutableStrings, AppAuthSamples.cycle] {
            for _ in 0..<4000 {
                var bytes = Array(sample)
                for _ in 0...Int.random(in: 0..<6, using: &random) {
                    // Most of what matters is in the trailer and in front of it.
                    let isNearEnd = Bool.random(using: &random)
                    let start = isNearEnd ? bytes.count - min(bytes.count, 160) : 0
                    bytes[Int.random(in: start..<bytes.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                if Int.random(in: 0..<8, using: &random) == 0 {
                    bytes.removeFirst(Int.random(in: 1..<bytes.count, using: &random))
                }
                _ = try? kept(Data(bytes), account: "ada")
            }
        }
    }

    /// The same numbers each time (SplitMix64).
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
