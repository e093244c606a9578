import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityTesting
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server of the Model Context Protocol at `/mcp`, as odd as a test wants it. The local OpenID Connect server issues its
/// tokens.
struct MCPFixture: Sendable {
    /// A request to the server.
    struct Asked: Sendable, Equatable {
        let method: String
        let path: String
        /// The method of the JSON-RPC message; `nil` for none.
        let message: String?
        let authorization: String?
        let session: String?
        /// The name of the client that registers itself.
        let clientName: String?

        init(_ request: LocalRequest) {
            (method, path) = (request.method, request.path)
            let body = try? JSONValue(parsing: request.body)
            message = body?["method"]?.stringValue
            clientName = body?["client_name"]?.stringValue
            (authorization, session) = (request.header("Authorization"), request.header("Mcp-Session-Id"))
        }

        /// In a word, such as `POST initialize`.
        var word: String { method + (message.map { " " + $0 } ?? "") }
    }

    typealias Behaviour = @Sendable (_ request: Asked, _ base: String, _ issuer: String) -> LocalResponse?

    static let ownDocument = "/.well-known/oauth-protected-resource/mcp"
    static let rootDocument = "/.well-known/oauth-protected-resource"

    let notes: ResourceFixture
    let mcp: LocalHTTPServer
    let store = MemoryTokenStore()
    private let asked: Locked<[Asked]>
    private let behaviour: Locked<Behaviour>

    /// - Parameters:
    ///   - behaviour: the response to a request; `nil` for that of a server by the book.
    ///   - configure: changes the server that issues the tokens.
    init(
        _ behaviour: @escaping Behaviour = { _, _, _ in nil },
        issuing configure: (inout OAuth2Fixture.Server.Configuration) -> Void = { _ in }
    ) async throws {
        notes = try await ResourceFixture(configure)
        let (asked, base) = (Locked<[Asked]>([]), Locked(""))
        let behaviours = Locked(behaviour)
        let issuer = notes.server.issuer
        mcp = try await LocalHTTPServer.start { request in
            let request = Asked(request)
            asked.withLock { $0.append(request) }
            let base = base.withLock { $0 }
            return behaviours.withLock { $0 }(request, base, issuer) ?? Self.usual(request, base, issuer)
        }
        base.withLock { [url = mcp.url.absoluteString] in $0 = url }
        (self.asked, self.behaviour) = (asked, behaviours)
    }

    private static func usual(_ request: Asked, _ base: String, _ issuer: String) -> LocalResponse {
        switch request.path {
        case "/mcp":
            request.authorization == nil ? challenge(base) : .json(["ok": true])
        case ownDocument: document(base + "/mcp", issuer)
        default: LocalResponse(status: 404)
        }
    }

    /// The refusal of a request without a token.
    static func challenge(_ base: String, _ more: String = "", status: Int = 401) -> LocalResponse {
        let value = "Bearer resource_metadata=\"\(base)\(ownDocument)\"" + more
        return LocalResponse(status: status, headers: [("WWW-Authenticate", value)])
    }

    /// The document of a resource.
    static func document(
        _ resource: String, _ issuer: String, _ more: [String: JSONValue] = [:]
    ) -> LocalResponse {
        let members: [String: JSONValue] = [
            "resource": .string(resource), "authorization_servers": [.string(issuer)], "scopes_supported": ["read"],
        ]
        return .json(.object(members.merging(more) { $1 }))
    }

    var base: String { mcp.url.absoluteString }

    func behave(_ behaviour: @escaping Behaviour) { self.behaviour.withLock { $0 = behaviour } }

    /// The requests for a path, in words, oldest first.
    func words(at path: String = "/mcp") -> [String] {
        asked.withLock { $0 }.filter { $0.path == path }.map(\.word)
    }

    /// Whether any request for a path had a token.
    func gotToken(at path: String) -> Bool {
        asked.withLock { $0 }.contains { $0.path == path && $0.authorization != nil }
    }

    /// The scheme of the token that the server was shown last.
    var scheme: String? {
        let shown = asked.withLock { $0 }.last { $0.authorization != nil }?.authorization
        return shown?.split(separator: " ").first.map(String.init)
    }

    /// The name of the client that has registered itself.
    var clientName: String? { asked.withLock { $0 }.lazy.compactMap(\.clientName).first }

    /// The session that was deleted last.
    var deletedSession: String? { asked.withLock { $0 }.last { $0.method == "DELETE" }?.session }

    func client(
        _ members: [String: JSONValue] = [:], resource: String = "/mcp", prompter: (any FlowPrompter)? = nil,
        browser: (any WebAuthenticator)? = nil, observers: [any IdentityObserver] = [],
        store: (any TokenStore)? = nil
    ) throws -> IdentityClient {
        let known: [String: JSONValue] = ["resource": .string(base + resource), "allowsLoopbackHTTP": true]
        return try IdentityClient(
            configuration: IdentityConfiguration(
                providers: [
                    ProviderConfiguration(
                        name: "notes", type: "protected-resource", settings: .object(known.merging(members) { $1 }))
                ]),
            registry: ProviderRegistry([ProtectedResourcePlugin.self]),
            environment: IdentityEnvironment(
                store: store ?? self.store, transport: notes.fixture.transport, prompter: prompter,
                webAuthenticator: browser ?? notes.fixture.browser, time: notes.fixture.clock.timeSource,
                observers: observers))
    }

    /// A request for a path, with a message of JSON-RPC where a method is given.
    func request(_ path: String = "/mcp", message: String? = nil) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: base + path)))
        guard let message else { return request }
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"jsonrpc":"2.0","id":7,"method":"\#(message)"}"#.utf8)
        return request
    }

    /// The parameters of the page that was opened last.
    var page: [FormField]? { notes.fixture.requests(to: "/authorize").last }

    func stop() async {
        await mcp.stop()
        await notes.server.stop()
    }
}
