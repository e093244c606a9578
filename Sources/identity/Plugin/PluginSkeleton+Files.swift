extension PluginSkeleton {
    /// The provider, complete: settings, sign-in, refresh, errors.
    var provider: String {
        ##"""
        import Foundation
        import IdentityKit

        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        /// Makes \##(name) available to configurations as the provider type `\##(lowercased)`.
        public enum \##(name)Plugin: ProviderPlugin {
            /// `\##(lowercased)`
            public static let type = "\##(lowercased)"

            /// What a configuration has to say.
            public struct Settings: Decodable, Sendable {
                /// The server's address.
                public let baseURL: URL
            }

            /// Builds a provider.
            public static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
                \##(name)Provider(baseURL: settings.baseURL, context: context)
            }
        }

        /// \##(name) as an identity provider. Its sessions are kept in the shared store, and refreshed once however many ask.
        final class \##(name)Provider: SessionBackedProvider {
            let sessions: ProviderSessions
            private let api: \##(name)API

            init(baseURL: URL, context: ProviderContext) {
                let api = \##(name)API(baseURL: baseURL, environment: context.environment)
                self.api = api
                let backend = SessionBackend(
                    origin: SessionOrigin(type: \##(name)Plugin.type, backend: baseURL.absoluteString)
                ) { credential in try await api.refresh(credential) }
                sessions = ProviderSessions(backend, in: context)
            }

            func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
                guard let prompter = api.environment.prompter else { return nil }  // Nobody to ask here.
                let fields: [SignInPrompt.Field] = [
                    .init(identifier: "username", label: "User name", kind: .username),
                    .init(identifier: "password", label: "Password", kind: .password),
                ]
                let answer = try await prompter.answer(SignInPrompt(provider: sessions.realm, fields: fields))
                let (user, credential) = try await api.requestTokens(answer.values.mapValues { $0.reveal() })
                let account = AccountID(account: user, realm: sessions.realm)
                try await sessions.begin(credential, for: account)
                return account
            }

            func requestAuthorization(
                for accountID: AccountID, scopes: Set<String>, deviceToken: String
            ) async throws -> Data? {
                _ = try await sessions.credential(for: accountID, scopes: scopes)
                return nil  // \##(name) gives no challenge.
            }

            func signOut(_ accountID: AccountID) async throws {
                try await sessions.end(accountID)
            }
        }

        /// \##(name)'s one endpoint: `POST /token` with a password or a refresh token.
        struct \##(name)API: Sendable {
            let baseURL: URL
            let environment: IdentityEnvironment

            private struct Answer: Decodable {
                let user: String, scope: String, accessToken: Secret, refreshToken: Secret, expiresIn: Double
            }

            func requestTokens(_ body: [String: String]) async throws -> (user: String, credential: Credential) {
                var request = URLRequest(url: baseURL.appendingPathComponent("token"))
                request.httpMethod = "POST"
                request.httpBody = try JSONEncoder().encode(body)
                let (data, response) = try await environment.transport.data(for: request)
                guard response.statusCode == 200 else { throw \##(name)Error(status: response.statusCode) }
                let answer = try JSONDecoder().decode(Answer.self, from: data)
                let now = environment.time.now
                let credential = Credential(
                    accessToken: answer.accessToken, refreshToken: answer.refreshToken,
                    scopes: Set(answer.scope.split(separator: " ").map(String.init)), issuedAt: now,
                    expiresAt: now + answer.expiresIn, signedInAt: now, backend: baseURL.absoluteString)
                return (answer.user, credential)
            }

            func refresh(_ credential: Credential) async throws -> RefreshResult {
                do {
                    var refreshed = try await requestTokens(["refreshToken": credential.refreshToken?.reveal() ?? ""])
                        .credential
                    refreshed.signedInAt = credential.signedInAt
                    return .refreshed(refreshed)
                } catch let error as \##(name)Error where error.status == 401 {
                    return .refused(reason: error.message)
                }
            }
        }

        /// \##(name) said no: for good when it refused, for now when it has trouble.
        struct \##(name)Error: IdentityFailure, Equatable {
            let status: Int
            var failureCode: String { status == 401 ? "\##(lowercased)_refused" : "\##(lowercased)_failed" }
            var failureClass: FailureClass { status == 401 ? .definitive : .transient }
            var message: String { status == 401 ? "\##(name) refused. Sign in again." : "\##(name) has trouble. Try again later." }
        }

        """##
    }

    /// The backend in memory, so that the tests need no network.
    var backend: String {
        ##"""
        import Foundation
        import IdentityKit
        import IdentityTesting

        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        /// \##(name) in memory: one user, tokens that can expire, be revoked, and be out of reach.
        final class \##(name)Backend: HTTPTransport {
            private struct State {
                var isOffline = false
                var refreshes = 0
                var issued = 0
                var refreshToken: String?
            }

            private actor Book {
                var state = State()
                func change<Result: Sendable>(_ body: @Sendable (inout State) -> Result) -> Result { body(&state) }
            }

            static let password = "\##(lowercased)-password"
            private let book = Book()

            var refreshes: Int {
                get async { await book.change { $0.refreshes } }
            }

            func revoke() async { await book.change { $0.refreshToken = nil } }
            func goOffline() async { await book.change { $0.isOffline = true } }

            func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
                let body = try JSONDecoder().decode([String: String].self, from: request.httpBody ?? Data())
                // A real network takes a moment, in which others come along.
                for _ in 0..<20 { await Task.yield() }
                let answer = await book.change { state -> [String: JSONValue]? in
                    if let refreshToken = body["refreshToken"] {
                        state.refreshes += 1
                        guard refreshToken == state.refreshToken else { return [:] }
                    } else if body["password"] != Self.password {
                        return [:]
                    }
                    if state.isOffline { return nil }
                    state.issued += 1
                    let refreshToken = "\##(lowercased)-refresh-\(state.issued)"
                    state.refreshToken = refreshToken
                    return [
                        "user": "ada", "scope": "profile mail", "accessToken": .string("\##(lowercased)-access-\(state.issued)"),
                        "refreshToken": .string(refreshToken), "expiresIn": 3600,
                    ]
                }
                guard let answer else { throw TransportError.connectionRefused(host: "\##(lowercased).example") }
                let url = request.url ?? URL(fileURLWithPath: "/")
                let status = answer.isEmpty ? 401 : 200
                guard let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil) else {
                    throw TransportError.connectionLost(host: "\##(lowercased).example")
                }
                return (try JSONEncoder().encode(answer), response)
            }
        }

        """##
    }

    /// The conformance suite, with the closures it needs.
    var tests: String {
        ##"""
        import \##(name)
        import Foundation
        import IdentityKit
        import IdentityTesting
        import Testing

        /// \##(name) keeps the contract of identity providers.
        @Suite struct \##(name)ConformanceTests {
            @Test("\##(name) keeps the contract", arguments: ProviderRule.allCases)
            func conforms(rule: ProviderRule) async {
                let result = await ProviderConformance.check(rule) { try await Self.subject() }
                #expect(!result.isBroken, "\(result)")
            }

            /// A fresh provider with nobody signed in. Each rule gets its own.
            static func subject() async throws -> ProviderUnderTest {
                let (backend, clock, screen) = (\##(name)Backend(), ManualClock(), InteractionCounter())
                let store = MemoryTokenStore()
                func makeProvider(_ prompter: ScriptedPrompter) throws -> any IdentityProvider {
                    let environment = IdentityEnvironment(
                        store: store, transport: backend, prompter: screen.counting(prompter), time: clock.dates)
                    let settings = try JSONDecoder().decode(
                        \##(name)Plugin.Settings.self, from: Data(#"{"baseURL": "https://\##(lowercased).example"}"#.utf8))
                    return try \##(name)Plugin.makeProvider(
                        settings: settings, context: ProviderContext(name: "\##(lowercased)", environment: environment))
                }
                let provider = try makeProvider(
                    ScriptedPrompter(["username": "ada", "password": Secret(\##(name)Backend.password)]))
                let impatient = try makeProvider(ScriptedPrompter([PromptAnswer]()))

                var subject = ProviderUnderTest(provider) {
                    try #require(await provider.activeAccount(scopes: [], deviceToken: "device"))
                }
                subject.giveUpSignIn = { try await impatient.activeAccount(scopes: [], deviceToken: "device") }
                subject.expire = { clock.advance(by: .seconds(3600)) }
                subject.revoke = { await backend.revoke() }
                subject.goOffline = { await backend.goOffline() }
                subject.interactions = { screen.count }
                subject.refreshes = { await backend.refreshes }
                subject.missingScope = "admin"
                subject.secrets = [\##(name)Backend.password]
                return subject
            }
        }

        """##
    }
}
