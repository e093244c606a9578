import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityOAuth

/// A server that has its metadata at one of several places, and something else at the others.
@Suite("Places of metadata") struct DiscoverySearchTests {
    /// What a server has where there is no document.
    static let others: [(name: String, response: LocalResponse)] = [
        ("401", LocalResponse(status: 401)), ("403", .html("Sign in", status: 403)),
        ("404 in OAuth's words", .json(["error": "NOT_FOUND"], status: 404)), ("405", LocalResponse(status: 405)),
        ("500", .text("no", status: 500)), ("503", LocalResponse(status: 503)), ("redirect", .redirect(to: "/login")),
        ("page", .html("<!doctype html><p>Welcome")), ("text", .text("Welcome")), ("empty", .text("")),
        ("broken JSON", .text("{")), ("list", .json([])), ("no issuer", .json(["version": 1])),
    ]

    /// Starts a server whose places all have `other`, but for those in `documents`.
    private func withServer(
        _ other: LocalResponse, _ documents: @escaping @Sendable (_ base: String) -> [String: JSONValue] = { _ in [:] },
        _ body: (LocalHTTPServer) async throws -> Void
    ) async throws {
        let base = Locked("")
        let server = try await LocalHTTPServer.start { request in
            documents(base.withLock { $0 })[request.path].map { .json($0) } ?? other
        }
        base.withLock { $0 = server.url.absoluteString }
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func discover(
        _ issuer: String, _ preference: Discovery.Preference
    ) async throws -> AuthorizationServerMetadata {
        try await Discovery.discover(
            issuer: issuer, preferring: preference, using: DefaultTransport.make(),
            transportSecurity: .loopbackHTTPAllowed)
    }

    @Test(
        "Nothing that a server has at another place ends the search", arguments: others.map(\.name),
        [
            "/.well-known/openid-configuration/t", "/t/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server/t", "/t/.well-known/oauth-authorization-server",
        ])
    func found(other: String, place: String) async throws {
        let response = try #require(Self.others.first { $0.name == other }?.response)
        for preference in [Discovery.Preference.openIDConnect, .authorizationServer, .authorizationServerAlone] {
            try await withServer(response, { [place: ["issuer": .string($0 + "/t")]] }) { server in
                let metadata = try await discover(server.url.absoluteString + "/t", preference)
                #expect(metadata.issuer == server.url.absoluteString + "/t")
            }
        }
    }

    @Test("Where no place has a document, each is named with what is there, and a server that failed may have it later")
    func notFound() async throws {
        for (name, response) in Self.others {
            try await withServer(response) { server in
                let base = server.url.absoluteString
                let error = await #expect(throws: OAuthError.self) { try await discover(base + "/t", .openIDConnect) }
                #expect(error?.failureCode == "metadata_not_found", "\(name)")
                #expect(error?.failureClass == (response.status >= 500 ? .transient : .definitive), "\(name)")
                for place in server.log.map(\.path) {
                    #expect(error?.message.contains("\(base)\(place) (\(response.status)") == true, "\(name)")
                }
                #expect(server.log.count == 4, "\(name)")
            }
        }
    }

    @Test("A place that is silent ends the search, because the others are at the same server")
    func silent() async throws {
        try await withServer(.text("no", status: 404)) { server in
            server.fail(.dropAnswer, pathPrefix: "/.well-known/oauth-authorization-server", times: 4)
            let error = await #expect(throws: (any Error).self) {
                try await discover(server.url.absoluteString, .authorizationServer)
            }
            #expect(error?.identityFailureClass == .transient)
            #expect(!server.log.map(\.path).contains("/.well-known/openid-configuration"))
        }
    }

    @Test(
        "A server of OAuth is asked for the document of RFC 8414 first, and one of OpenID Connect for its own",
        arguments: [
            (Discovery.Preference.openIDConnect, "/b"), (.authorizationServer, "/a"), (.authorizationServerAlone, "/a"),
        ])
    func order(preference: Discovery.Preference, path: String) async throws {
        @Sendable func document(_ base: String, _ path: String) -> JSONValue {
            ["issuer": .string(base), "token_endpoint": .string(base + path)]
        }
        try await withServer(
            LocalResponse(status: 404),
            {
                [
                    "/.well-known/oauth-authorization-server": document($0, "/a"),
                    "/.well-known/openid-configuration": document($0, "/b"),
                ]
            }
        ) { server in
            let metadata = try await discover(server.url.absoluteString, preference)
            #expect(metadata.tokenEndpoint?.path == path)
            #expect(server.log.count == (preference == .authorizationServerAlone ? 1 : 2))
        }
    }

    @Test("A document of another issuer is final, whatever the other places have")
    func otherIssuer() async throws {
        try await withServer(
            LocalResponse(status: 404),
            {
                [
                    "/.well-known/oauth-authorization-server": ["issuer": "https://id.example.com"],
                    "/.well-known/openid-configuration": ["issuer": .string($0)],
                ]
            }
        ) { server in
            let error = await #expect(throws: OAuthError.self) {
                try await discover(server.url.absoluteString, .authorizationServer)
            }
            #expect(error?.failureCode == "metadata_issuer_mismatch")
        }
    }

    @Test(
        "Named by a resource, an issuer may have one slash more or less than its metadata, and configured none",
        arguments: ["", "/t"],
        [("", "", true), ("/", "", true), ("", "/", true), ("/", "/", true), ("", "//", false), ("/", "/x", false)])
    func spelling(path: String, ends: (named: String, own: String, isOne: Bool)) async throws {
        try await withServer(
            LocalResponse(status: 404),
            { ["/.well-known/oauth-authorization-server" + path: ["issuer": .string($0 + path + ends.own)]] }
        ) { server in
            let base = server.url.absoluteString + path
            for isNamed in [true, false] {
                let found = try? await Discovery.discover(
                    issuer: base + ends.named, preferring: .authorizationServer, namedByResource: isNamed,
                    using: DefaultTransport.make(), transportSecurity: .loopbackHTTPAllowed)
                let isTaken = isNamed ? ends.isOne : ends.named == ends.own
                #expect(found?.issuer == (isTaken ? base + ends.own : nil))
            }
        }
    }

    // MARK: Protected resources

    @Test(
        "The metadata of a resource is where it says, or else at the usual places", arguments: others.map(\.name),
        ["/named", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])
    func resource(other: String, place: String) async throws {
        let response = try #require(Self.others.first { $0.name == other }?.response)
        try await withServer(
            response,
            { [place: ["resource": .string($0 + "/mcp"), "authorization_servers": ["https://id.example.com"]]] }
        ) { server in
            let challenge = #"Bearer resource_metadata="\#(server.url.absoluteString)/named""#
            let refusal = LocalResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
            server.fail(.answer(refusal), pathPrefix: "/mcp")
            let (metadata, _) = try await ProtectedResourceMetadata.discover(
                server.url.appendingPathComponent("mcp"), using: DefaultTransport.make(),
                transportSecurity: .loopbackHTTPAllowed)
            #expect(metadata.authorizationServers == ["https://id.example.com"])
        }
    }

    @Test("A resource whose response is a stream without an end is asked for no more than the head")
    func endless() async throws {
        var events = LocalResponse(
            status: 200, headers: [("Content-Type", "text/event-stream")], body: Data(": still here\n\n".utf8))
        events.isEndless = true
        let place = "/.well-known/oauth-protected-resource/mcp"
        try await withServer(
            LocalResponse(status: 404),
            { [place: ["resource": .string($0 + "/mcp"), "authorization_servers": ["https://id.example.com"]]] }
        ) { [events] server in
            server.fail(.answer(events), pathPrefix: "/mcp")
            let (metadata, scopes) = try await ProtectedResourceMetadata.discover(
                server.url.appendingPathComponent("mcp"), using: DefaultTransport.make(),
                transportSecurity: .loopbackHTTPAllowed)
            #expect(metadata.authorizationServers == ["https://id.example.com"] && scopes == nil)
        }
    }

    @Test("A resource that is described nowhere is told with every place that was asked")
    func notDescribed() async throws {
        for (name, response) in Self.others {
            try await withServer(response) { server in
                let error = await #expect(throws: OAuthError.self) {
                    try await ProtectedResourceMetadata.discover(
                        server.url.appendingPathComponent("mcp"), using: DefaultTransport.make(),
                        transportSecurity: .loopbackHTTPAllowed)
                }
                #expect(error?.failureCode == "resource_not_described", "\(name)")
                #expect(error?.failureClass == (response.status >= 500 ? .transient : .definitive), "\(name)")
                let places = server.log.map(\.path).filter { $0 != "/mcp" }
                #expect(places.count == 2, "\(name)")
                for place in places {
                    #expect(error?.message.contains("\(place) (\(response.status)") == true, "\(name)")
                }
            }
        }
    }

    // MARK: Metadata in use

    private func connection(to issuer: URL, by clock: ManualClock) -> OAuthConnection {
        OAuthConnection(time: clock.timeSource) {
            RelyingParty(
                metadata: try await self.discover(issuer.absoluteString, .openIDConnect),
                client: OAuthClient(id: "app"), transport: DefaultTransport.make(), time: clock.timeSource)
        }
    }

    @Test(
        "A document that fails is requested again after five minutes; without it, the other one stays in use",
        arguments: ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"],
        [(503, true), (404, false)])
    func secondDocument(place: String, failure: (status: Int, isRequestedAgain: Bool)) async throws {
        let clock = ManualClock()
        try await withServer(
            LocalResponse(status: 404),
            { base in
                [
                    "/.well-known/openid-configuration": [
                        "issuer": .string(base), "end_session_endpoint": .string(base + "/end"),
                    ],
                    "/.well-known/oauth-authorization-server": [
                        "issuer": .string(base), "revocation_endpoint": .string(base + "/revoke"),
                    ],
                ]
            }
        ) { server in
            let connection = self.connection(to: server.url, by: clock)
            var isComplete: [Bool] = []
            func look() async throws {
                let metadata = try await connection.relyingParty.metadata
                isComplete.append(metadata.revocationEndpoint != nil && metadata.endSessionEndpoint != nil)
            }
            server.fail(.answer(LocalResponse(status: failure.status)), pathPrefix: place)
            try await look()
            let requests = server.log.count
            try await look()
            #expect(server.log.count == requests)
            clock.advance(by: .seconds(300))
            server.fail(.answer(LocalResponse(status: 503)), pathPrefix: "/", times: 2)
            try await look()
            #expect((server.log.count > requests) == failure.isRequestedAgain)
            clock.advance(by: .seconds(300))
            try await look()
            #expect(isComplete == [false, false, false, failure.isRequestedAgain])
        }
    }

    @Test("Complete metadata is requested again after a day, and stays in use where that brings less")
    func age() async throws {
        let (clock, path) = (ManualClock(), Locked("/old"))
        try await withServer(
            LocalResponse(status: 404),
            { base in
                [
                    "/.well-known/openid-configuration": [
                        "issuer": .string(base), "token_endpoint": .string(base + path.withLock { $0 }),
                    ],
                    "/.well-known/oauth-authorization-server": [
                        "issuer": .string(base), "revocation_endpoint": .string(base + "/revoke"),
                    ],
                ]
            }
        ) { server in
            let connection = self.connection(to: server.url, by: clock)
            var endpoints: [[String]] = []
            func look(after pause: Duration) async throws {
                clock.advance(by: pause)
                let metadata = try await connection.relyingParty.metadata
                endpoints.append([metadata.tokenEndpoint, metadata.revocationEndpoint].map { $0?.path ?? "" })
            }
            try await look(after: .zero)
            path.withLock { $0 = "/new" }
            try await look(after: .seconds(86_399))
            for place in ["/", "/.well-known/oauth-authorization-server"] {
                server.fail(.answer(LocalResponse(status: 503)), pathPrefix: place, times: place == "/" ? 2 : 1)
                try await look(after: .seconds(86_400))
            }
            try await look(after: .seconds(86_400))
            #expect(endpoints == Array(repeating: ["/old", "/revoke"], count: 4) + [["/new", "/revoke"]])
        }
    }
}
