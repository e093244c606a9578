import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import Testing

/// A session at a local OpenID Connect server, begun and refreshed with this library alone.
struct OpenIDSession: Sendable {
    static let redirectURI = "com.example.app:/callback"

    let server: LocalOpenIDConnectServer
    let party: RelyingParty
    let connection: OAuthConnection
    let credential: Credential

    /// Starts a server and signs in.
    /// - Parameters:
    ///   - scopes: what is asked for.
    ///   - format: how the server writes its token responses.
    ///   - bindsTokens: whether the tokens are bound to a key.
    ///   - prepare: changes the server before the sign-in.
    init(
        scopes: [String] = ["openid", "profile", "email"], format: TokenResponseFormat = TokenResponseFormat(),
        bindsTokens: Bool = false, prepare: (LocalOpenIDConnectServer) -> Void = { _ in }
    ) async throws {
        let clock = ManualClock()
        server = try await LocalOpenIDConnectServer.start(clock: clock)
        prepare(server)
        do {
            var party = try await Self.party(at: server, time: clock.timeSource)
            party.tokenResponseFormat = format
            if bindsTokens {
                party = try party.proving(DPoPProver(key: SigningKey(), time: clock.timeSource))
            }
            let request = try party.authorizationRequest(redirectURI: .known(Self.redirectURI), scopes: scopes)
            let login = ScriptedLogin(username: server.user.username, password: server.user.password)
            let callback = try await login.signIn(at: party.url(for: request))
            credential = try await party.redeem(callback, for: request.pending)
                .credential(backend: server.issuer, clientID: server.client.id)
            self.party = party
            connection = OAuthConnection(time: clock.timeSource) { [party] in party }
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func party(at server: LocalOpenIDConnectServer, time: TimeSource) async throws -> RelyingParty {
        let transport = DefaultTransport.make()
        return RelyingParty(
            metadata: try await Discovery.discover(
                issuer: server.issuer, using: transport, transportSecurity: .loopbackHTTPAllowed),
            client: OAuthClient(id: server.client.id, transportSecurity: .loopbackHTTPAllowed),
            transport: transport, time: time)
    }

    /// A context of each refresh.
    static var context: RefreshContext { RefreshContext(DefaultTransport.make()) }

    /// What the next refresh comes to, once it is verified.
    /// - Parameter credential: the session; `nil` for that of the sign-in.
    func refresh(_ credential: Credential? = nil) async throws -> RefreshResult {
        let result = try await connection.refresh(credential ?? self.credential, in: Self.context)
        guard case .refreshed(let stored, _, let faults) = result, stored.pendingVerification != nil else {
            return result
        }
        switch try await connection.verify(stored, in: Self.context) {
        case .verified(let verified, let dropped): return .refreshed(verified, dropping: dropped, faults: faults)
        case .refused(let reason): return .refused(reason: reason)
        }
    }

    /// What the next refresh comes to, in one word.
    func outcome() async -> RefreshOutcome {
        do {
            return RefreshOutcome(try await refresh())
        } catch {
            return (error as? TransportError)?.wasNeverSent == true ? .notSent : .inDoubt
        }
    }
}

extension OAuthConnection {
    /// A connection to a server that a test finds.
    convenience init(
        time: TimeSource = .system, discover: @escaping @Sendable () async throws -> RelyingParty
    ) {
        self.init(
            OAuthServer(type: "test", issuer: "https://id.example", client: OAuthClient(id: "app")),
            in: IdentityEnvironment(store: MemoryTokenStore(), time: time), discover: discover)
    }
}

/// The cases of a refresh's result without what they carry.
enum RefreshOutcome: String, Sendable {
    case refreshed, unusable, refused, personNeeded, ambiguous, misconfigured, stepUpNeeded, notSent, unspent, inDoubt
    case unreadable

    init(_ answer: RefreshResult) {
        switch answer {
        case .refreshed: self = .refreshed
        case .unusable: self = .unusable
        case .refused: self = .refused
        case .personNeeded: self = .personNeeded
        case .ambiguous: self = .ambiguous
        case .clientUnknown: self = .misconfigured
        case .misconfigured: self = .misconfigured
        case .stepUpNeeded: self = .stepUpNeeded
        case .unreadable: self = .unreadable
        case .notSent: self = .notSent
        case .unspent: self = .unspent
        }
    }
}
