#if Observability
import Foundation
import IdentityKit
import IdentityObservability
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders

/// An app that signs in at a local server, with logs, metrics and traces of its own.
struct ObservedApp: Sendable {
    let server: LocalOpenIDConnectServer
    let clock = ManualClock()
    let store = FaultyTokenStore(MemoryTokenStore())
    let logs = RecordedLogs()
    let metrics = RecordedMetrics()
    let traces = RecordedSpans()
    let provider: OAuthSessionProvider
    private let refreshes = RefreshMonitor()

    var account: AccountID { AccountID(account: server.user.id, realm: "work") }

    init() async throws {
        server = try await LocalOpenIDConnectServer.start(clock: clock)
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        let environment = IdentityEnvironment(
            store: store, webAuthenticator: ScriptedBrowser { try await login.signIn(at: $0) },
            refreshMonitor: refreshes,
            time: clock.dates,
            observers: [
                LoggingObserver(logger: logs.logger), MetricsObserver(factory: metrics),
                TracingObserver(tracer: traces),
            ])
        let settings = OpenIDConnectSettings(
            issuer: server.issuer, clientID: server.client.id, redirectURI: URL(string: "com.example.app:/callback"),
            transportSecurity: .loopbackHTTPAllowed)
        provider = OAuthSessionProvider(
            settings.server, context: ProviderContext(name: "work", environment: environment))
    }

    /// Signs in, and waits until the access token has expired.
    func signInAndExpire() async throws {
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        clock.advance(by: .seconds(7200))
    }

    /// The access token, or the code of the error.
    func token() async -> Result<String, TokenFailure> {
        do {
            return .success(try await provider.accessToken(for: account, scopes: []))
        } catch {
            return .failure(TokenFailure(code: (error as? any IdentityFailure)?.failureCode))
        }
    }

    /// Waits until logs, metrics and traces have the event with this name; each is told in a task of its own, and the
    /// counter of an event comes before its timer.
    func seen(_ event: String, isMeasured: Bool = false) async {
        while logs.first(event) == nil || metrics.values("identity.events", of: event).isEmpty
            || (isMeasured && traces.first(event) == nil)
            || (isMeasured && metrics.values("identity.refresh.duration", of: event).isEmpty)
        {
            await Task.yield()
        }
    }

    /// Everything that was given to the three systems.
    var everything: String {
        let lines = logs.lines.withLock { $0 }
        return "\(lines) \(metrics.values) \(traces.spans)"
    }
}

/// Why there is no token.
struct TokenFailure: Error {
    let code: String?
}
#endif
