import Foundation
import IdentityKit
import IdentityTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A plug-in for Acme as an author may write it, with one mistake.
final class MistakenPlugin: SessionBackedProvider {
    /// Mistakes that an author makes.
    enum Mistake: CaseIterable {
        case refreshTokenInText, bodyInText, bodyInDump, rawError, writtenRealm, plainHTTP, keptInMemory, systemClock
        case oldRefreshToken, secondRotation, emptyToken, carriageReturn, lineFeed, null

        /// The rule that it breaks.
        var rule: ProviderRule {
            switch self {
            case .refreshTokenInText, .bodyInText, .bodyInDump: .noSecretShows
            case .rawError: .errorsAreClassified
            case .writtenRealm: .realmsAreConfigured
            case .plainHTTP: .plainHTTPIsRefused
            case .keptInMemory: .sessionOutlivesRestart
            case .systemClock: .clockIsTheGivenOne
            case .oldRefreshToken, .secondRotation: .rotationIsFollowed
            case .emptyToken, .carriageReturn, .lineFeed, .null: .tokensFitAHeader
            }
        }
    }

    /// An error with a harmless text, or a text that is not, and the request that it is about.
    private struct Refusal: IdentityFailure {
        let failureCode = "acme_failed"
        let failureClass = FailureClass.transient
        var message = "Acme has trouble. Try again later."
        var request: URLRequest?
    }

    let sessions: ProviderSessions
    private let mistake: Mistake?
    private let api: AcmeAPI

    init(_ mistake: Mistake?, at address: String, in context: ProviderContext) throws {
        let checked = mistake == .plainHTTP ? URL(string: address) : try ServerURL(address).url
        let url = try #require(checked)
        var (own, environment) = (context, context.environment)
        if mistake == .writtenRealm { own.name = "acme" }
        if mistake == .keptInMemory { own.environment.store = MemoryTokenStore() }
        if mistake == .systemClock { environment.time = .system }
        let api = AcmeAPI(baseURL: url, environment: environment)
        (self.mistake, self.api) = (mistake, api)
        let backend = SessionBackend(type: "acme", backend: address) { credential, context in
            do {
                return try await Self.refresh(credential, in: context, with: api, mistake)
            } catch let error as AcmeError {
                throw try Self.mistaken(error, about: credential, mistake)
            }
        }
        sessions = ProviderSessions(backend, in: own)
    }

    private static func refresh(
        _ credential: Credential, in context: RefreshContext, with api: AcmeAPI, _ mistake: Mistake?
    ) async throws -> RefreshResult {
        let result = try await api.refresh(credential, in: context)
        guard case .refreshed(var refreshed, _, _) = result else { return result }
        switch mistake {
        case .oldRefreshToken: refreshed.refreshToken = credential.refreshToken
        case .secondRotation: return try await api.refresh(refreshed, in: context)
        default: break
        }
        return .refreshed(refreshed)
    }

    private static func mistaken(
        _ error: AcmeError, about credential: Credential, _ mistake: Mistake?
    ) throws -> any Error {
        let token = credential.refreshToken?.reveal() ?? ""
        let body = try JSONEncoder().encode(["refreshToken": token])
        switch mistake {
        case .refreshTokenInText: return Refusal(message: "Acme does not take \(token).")
        case .bodyInText: return Refusal(message: "Acme does not take \(String(decoding: body, as: UTF8.self)).")
        case .bodyInDump:
            var request = URLRequest(url: URL(fileURLWithPath: "/token"))
            request.httpBody = body
            return Refusal(request: request)
        case .rawError: return URLError(.cannotParseResponse)
        default: return error
        }
    }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        let prompter = try #require(api.environment.prompter)
        let answer = try await prompter.answer(SignInPrompt(provider: sessions.realm, fields: []))
        let (user, credential) = try await api.requestTokens(
            answer.values.mapValues { $0.reveal() }, api.environment.transport.data(for:))
        let account = AccountID(account: user, realm: sessions.realm)
        try await sessions.begin(credential, for: account)
        return account
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        let token = try await sessions.accessToken(for: accountID, scopes: scopes)
        return switch mistake {
        case .emptyToken: ""
        case .carriageReturn: token + "\r"
        case .lineFeed: "\n" + token
        case .null: token + "\0"
        default: token
        }
    }

    func signOut(_ accountID: AccountID) async throws { try await sessions.end(accountID) }
}

extension MistakenPlugin {
    /// The plug-in with one mistake, or with none.
    /// - Parameter isLenient: whether the backend also takes a refresh token that it has replaced.
    static func subject(_ mistake: Mistake?, isLenient: Bool = false) async throws -> ProviderUnderTest {
        let (backend, clock, screen, store) = (AcmeBackend(), ManualClock(), InteractionCounter(), MemoryTokenStore())
        let wire = WatchedTransport(isLenient ? LenientBackend(backend) : backend)
        let ada = [PromptAnswer(values: ["username": "ada", "password": Secret(AcmeBackend.password)])]
        @Sendable func make(_ answers: [PromptAnswer], _ name: String = "acme", _ address: String? = nil) throws -> Self
        {
            let environment = IdentityEnvironment(
                store: store, transport: wire, prompter: screen.counting(ScriptedPrompter(answers)), time: clock.dates)
            return try Self(
                mistake, at: address ?? "https://acme.example",
                in: ProviderContext(name: name, environment: environment))
        }
        let (plugin, impatient) = (try make(ada), try make([]))
        var subject = ProviderUnderTest(plugin) {
            try #require(await plugin.activeAccount(scopes: [], deviceToken: "d"))
        }
        (subject.wire, subject.clock) = (wire, clock)
        subject.restart = { try make([]) }
        subject.configure = { name, address in try make(ada, name, address) }
        subject.giveUpSignIn = { try await impatient.activeAccount(scopes: [], deviceToken: "d") }
        subject.expire = { clock.advance(by: .seconds(3600)) }
        subject.revoke = { await backend.revoke() }
        subject.goOffline = { await backend.goOffline() }
        subject.interactions = { screen.count }
        subject.refreshes = { await backend.refreshes }
        subject.missingScope = "admin"
        subject.lacks = [.log: "it writes none"]
        return subject
    }
}

/// Acme with a backend that puts the latest refresh token in the place of whichever it gets.
private final class LenientBackend: HTTPTransport {
    private let backend: AcmeBackend
    private let latest = Locked<String?>(nil)

    init(_ backend: AcmeBackend) { self.backend = backend }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        var body = try JSONDecoder().decode([String: String].self, from: request.httpBody ?? Data())
        if body["refreshToken"] != nil { body["refreshToken"] = latest.withLock { $0 } }
        var forgiven = request
        forgiven.httpBody = try JSONEncoder().encode(body)
        let response = try await backend.data(for: forgiven)
        if let token = try JSONValue(parsing: response.0)["refreshToken"]?.stringValue {
            latest.withLock { $0 = token }
        }
        return response
    }
}
