import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Published keys over time", .endsInTime)
struct JWKSCacheTests {
    /// Publishes keys, counts the requests, and can be made to wait or to fail.
    private actor KeyServer: HTTPTransport {
        private var document: String
        private(set) var requestCount = 0
        private var gate: CheckedContinuation<Void, Never>?
        private var isClosed = false

        init(_ keys: [TestKey]) throws {
            document = try Self.document(keys)
        }

        func publish(_ keys: [TestKey]) throws { document = try Self.document(keys) }
        func fail() { document = "" }
        func close() { isClosed = true }

        func open() {
            isClosed = false
            gate?.resume()
            gate = nil
        }

        var isSomebodyWaiting: Bool { gate != nil }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            requestCount += 1
            if isClosed { await withCheckedContinuation { gate = $0 } }
            return try httpResponse(document, contentType: "application/jwk-set+json", url: "https://id.example/jwks")
        }

        private static func document(_ keys: [TestKey]) throws -> String {
            let set: JSONValue = ["keys": .array(keys.map { .object($0.jwk) })]
            return String(decoding: try JSONEncoder().encode(set), as: UTF8.self)
        }
    }

    private let clock = ManualClock()

    /// A server that publishes `keys`, and an empty cache of it.
    private func publishing(_ keys: TestKey...) throws -> (KeyServer, JWKSCache) {
        let server = try KeyServer(keys)
        let uri = try URL.known("https://id.example/jwks")
        return (server, JWKSCache(jwksURI: uri, transport: server, time: clock.timeSource))
    }

    private func verify(_ key: TestKey, in cache: JWKSCache, header: [String: JSONValue] = [:]) async throws {
        try await cache.verify(JSONWebToken(key.sign([:], header: header)).message, by: SignatureVerifier())
    }

    @Test("keys that must be newer than a response are fetched again, whatever is at hand")
    func askedAfter() async throws {
        let (old, new) = (try TestKey(.es256), try TestKey(.es256))
        let (server, cache) = try publishing(old)
        let first = try await cache.keys()
        clock.advance(by: .seconds(1))
        try await server.publish([new])
        let receivedAt = clock.now
        #expect(try await cache.keys() == first)
        #expect(try await cache.keys(askedAfter: receivedAt) != first)
        #expect(await server.requestCount == 2)
        clock.advance(by: .seconds(1))
        _ = try await cache.keys(askedAfter: receivedAt)
        #expect(await server.requestCount == 3)
        _ = try await cache.keys(askedAfter: receivedAt)
        #expect(await server.requestCount == 3)
    }

    @Test("keys are used for five minutes and not longer")
    func age() async throws {
        let key = try TestKey(.es256)
        let (server, cache) = try publishing(key)
        try await verify(key, in: cache)
        clock.advance(by: .seconds(299))
        try await verify(key, in: cache)
        #expect(await server.requestCount == 1)
        clock.advance(by: .seconds(1))
        try await verify(key, in: cache)
        #expect(await server.requestCount == 2)
    }

    @Test("a withdrawn key stops working after five minutes, also when the server is down")
    func withdrawal() async throws {
        let key = try TestKey(.es256)
        let (server, cache) = try publishing(key)
        try await verify(key, in: cache)
        await server.fail()
        clock.advance(by: .seconds(300))
        await #expect(throws: OAuthError.invalidResponse(.malformedJSON, host: "id.example")) {
            try await verify(key, in: cache)
        }
    }

    /// How a key takes the place of another one.
    enum Rotation: CaseIterable {
        case anotherName, noName, sameName

        func keys() throws -> (old: TestKey, new: TestKey) {
            switch self {
            case .anotherName: (try TestKey(.es256, keyID: "old"), try TestKey(.es256, keyID: "new"))
            case .noName: (try TestKey(.es256, keyID: nil), try TestKey(.es256, keyID: nil))
            case .sameName: (try TestKey(.es256), try TestKey(.es384))
            }
        }
    }

    @Test(
        "a key that was rotated after the set was fetched is found at once, also without a kid or under the old one",
        arguments: Rotation.allCases)
    func rotation(rotation: Rotation) async throws {
        let (old, new) = try rotation.keys()
        let (server, cache) = try publishing(old)
        try await verify(old, in: cache)
        try await server.publish([new])
        try await verify(new, in: cache)
        if rotation == .noName {
            await #expect(throws: OAuthError.invalidToken(.invalidSignature)) { try await verify(old, in: cache) }
        }
        #expect(await server.requestCount == 2)
    }

    @Test("unknown kids cost the server one request a minute, however many come")
    func unknownKeys() async throws {
        let key = try TestKey(.es256)
        let (server, cache) = try publishing(key)
        for index in 0..<20 {
            await #expect(throws: OAuthError.invalidToken(.keyNotFound)) {
                try await verify(key, in: cache, header: ["kid": .string("made up \(index)")])
            }
        }
        #expect(await server.requestCount == 2)
        try await verify(key, in: cache)
        clock.advance(by: .seconds(60))
        await #expect(throws: OAuthError.invalidToken(.keyNotFound)) {
            try await verify(key, in: cache, header: ["kid": "made up"])
        }
        #expect(await server.requestCount == 3)
    }

    @Test("a wrong signature by a known kid fetches nothing")
    func forgery() async throws {
        let (key, forger) = (try TestKey(.es256), try TestKey(.es256))
        let (server, cache) = try publishing(key)
        await #expect(throws: OAuthError.invalidToken(.invalidSignature)) { try await verify(forger, in: cache) }
        #expect(await server.requestCount == 1)
    }

    @Test("a token no key can save fetches nothing")
    func unacceptedAlgorithm() async throws {
        let key = try TestKey(.es256)
        let (server, cache) = try publishing(key)
        await #expect(throws: OAuthError.invalidToken(.unacceptedAlgorithm("none"))) {
            try await verify(key, in: cache, header: ["alg": "none"])
        }
        #expect(await server.requestCount == 0)
    }

    @Test("concurrent callers share one request, and a caller that is cancelled disturbs no other")
    func oneFlight() async throws {
        let key = try TestKey(.es256)
        let (server, cache) = try publishing(key)
        await server.close()
        let impatient = Task { try await verify(key, in: cache) }
        while await !server.isSomebodyWaiting { await Task.yield() }
        let patient = (0..<10).map { _ in Task { try await verify(key, in: cache) } }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        await server.open()
        for task in patient { try await task.value }
        #expect(await server.requestCount == 1)
    }

    @Test("a failure is not remembered")
    func failureThenSuccess() async throws {
        let key = try TestKey(.es256)
        let (server, cache) = try publishing(key)
        await server.fail()
        await #expect(throws: OAuthError.self) { try await verify(key, in: cache) }
        try await server.publish([key])
        try await verify(key, in: cache)
    }

    @Test("a clock that was set back does not keep old keys alive")
    func clockSetBack() async throws {
        let key = try TestKey(.es256)
        let (server, cache) = try publishing(key)
        try await verify(key, in: cache)
        clock.advance(by: .seconds(-3600))
        try await verify(key, in: cache)
        #expect(await server.requestCount == 2)
    }

    @Test(
        "RFC 8725 section 3.10: no address in a header is visited", .guards("claims that lead elsewhere"),
        arguments: ["jku", "x5u"])
    func addressInHeader(member: String) async throws {
        let (good, evil) = (try TestKey(.es256), try TestKey(.es256))
        func publish(_ key: TestKey) async throws -> LocalHTTPServer {
            let keys: JSONValue = ["keys": [.object(key.jwk)]]
            return try await LocalHTTPServer.start { _ in .json(keys) }
        }
        let (server, attacker) = (try await publish(good), try await publish(evil))
        let cache = JWKSCache(
            jwksURI: server.url.appendingPathComponent("jwks"), transport: DefaultTransport.make(),
            transportSecurity: .loopbackHTTPAllowed, time: clock.timeSource)
        let address = attacker.url.appendingPathComponent("jwks").absoluteString
        for keyID in ["k1", "k2", "../jwks", "' OR 1=1 --"] as [JSONValue] {
            let forged = try evil.sign([:], header: [member: .string(address), "kid": keyID])
            let error = await #expect(throws: OAuthError.self) {
                try await cache.verify(JSONWebToken(forged).message, by: SignatureVerifier())
            }
            #expect(error?.failureCode == (keyID == "k1" ? "jwt_invalid_signature" : "jwt_key_not_found"))
        }
        try await cache.verify(JSONWebToken(good.sign([:])).message, by: SignatureVerifier())
        #expect(attacker.log.isEmpty)
        #expect(Set(server.log.map(\.path)) == ["/jwks"])
        await server.stop()
        await attacker.stop()
    }

    @Test("keys are fetched over https only")
    func insecure() async throws {
        let key = try TestKey(.es256)
        let cache = JWKSCache(jwksURI: try .known("http://id.example/jwks"), transport: try KeyServer([key]))
        await #expect(throws: OAuthError.invalidSetting(.insecureEndpoint(host: "id.example"))) {
            try await cache.keys()
        }
    }
}
