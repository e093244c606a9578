import Foundation
import IdentityKit

/// Makes Acme available to configurations as the provider type `acme`.
public enum AcmePlugin: ProviderPlugin {
    /// `acme`
    public static let type = "acme"

    /// The settings of this type in a configuration.
    public struct Settings: Decodable, Sendable {
        /// The address of Acme's server.
        public let baseURL: URL
    }

    /// Builds a provider.
    /// - Throws: an error whose code begins with `base_url_` for an address without https, unless it is this machine's.
    public static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        let server = try ServerURL(settings.baseURL.absoluteString, allowsLoopbackHTTP: true)
        return AcmeProvider(baseURL: server.url, context: context)
    }
}

/// Acme as an identity provider. Its sessions are kept in the shared store, and refreshed once for all concurrent callers.
final class AcmeProvider: SessionBackedProvider {
    let sessions: ProviderSessions
    private let api: AcmeAPI

    init(baseURL: URL, context: ProviderContext) {
        let api = AcmeAPI(baseURL: baseURL, environment: context.environment)
        self.api = api
        let backend = SessionBackend(
            type: AcmePlugin.type, backend: baseURL.absoluteString
        ) { credential, context in try await api.refresh(credential, in: context) }
        sessions = ProviderSessions(backend, in: context)
    }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        guard let prompter = api.environment.prompter else { return nil }  // There is nobody to ask.
        let fields: [SignInPrompt.Field] = [
            .init(identifier: "username", label: "User name", kind: .username),
            .init(identifier: "password", label: "Password", kind: .password),
        ]
        let answer = try await prompter.answer(SignInPrompt(provider: sessions.realm, fields: fields))
        let (user, credential) = try await api.requestTokens(
            answer.values.mapValues { $0.reveal() }, api.environment.transport.data(for:))
        let account = AccountID(account: user, realm: sessions.realm)
        try await sessions.begin(credential, for: account)
        return account
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await sessions.credential(for: accountID, scopes: scopes)
        return nil  // Acme gives no challenge.
    }

    func signOut(_ accountID: AccountID) async throws {
        try await sessions.end(accountID)
    }
}

/// Acme's one endpoint: `POST /token` with a password or a refresh token.
struct AcmeAPI: Sendable {
    let baseURL: URL
    let environment: IdentityEnvironment

    private struct Response: Decodable {
        let user: String, scope: String, accessToken: Secret, refreshToken: Secret, expiresIn: Double
    }

    func requestTokens(
        _ body: [String: String], _ send: (URLRequest) async throws -> (Data, HTTPURLResponse)
    ) async throws -> (user: String, credential: Credential) {
        var request = URLRequest(url: baseURL.appendingPathComponent("token"))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(body)
        let (data, head) = try await send(request)
        guard head.statusCode == 200, let response = try? JSONDecoder().decode(Response.self, from: data)
        else { throw AcmeError(status: head.statusCode) }
        let now = environment.time.now
        let credential = Credential(
            accessToken: response.accessToken, refreshToken: response.refreshToken,
            scopes: Set(response.scope.split(separator: " ").map(String.init)), issuedAt: now,
            expiresAt: now + response.expiresIn, signedInAt: now, backend: baseURL.absoluteString)
        return (response.user, credential)
    }

    func refresh(_ credential: Credential, in context: RefreshContext) async throws -> RefreshResult {
        do {
            let token = credential.refreshToken?.reveal() ?? ""
            var refreshed = try await requestTokens(["refreshToken": token], context.spend).credential
            refreshed.signedInAt = credential.signedInAt
            return .refreshed(refreshed)
        } catch let error as AcmeError where error.status == 401 {
            return .refused(reason: error.message)
        }
    }
}

/// A refusal by Acme, which is lasting, or a failure, which is transient.
struct AcmeError: IdentityFailure, Equatable {
    let status: Int
    var failureCode: String { status == 401 ? "acme_refused" : "acme_failed" }
    var failureClass: FailureClass { status == 401 ? .definitive : .transient }
    var message: String { status == 401 ? "Acme refused. Sign in again." : "Acme has trouble. Try again later." }
}
