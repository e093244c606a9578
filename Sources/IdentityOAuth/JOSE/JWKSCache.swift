import Foundation
import IdentityKit

/// A cache of the public keys of one server, which are fetched when they are first needed.
///
/// A key set is used for at most five minutes, so that a withdrawn key stops working. When no key of the set fits a
/// token, the set is fetched again, but at most once a minute for such tokens, because any sender can invent a `kid`.
/// Concurrent callers share one request.
package actor JWKSCache {
    /// The address at which the keys are published.
    package nonisolated let jwksURI: URL
    private let transport: any HTTPTransport
    private let transportSecurity: TransportSecurity
    private let time: TimeSource
    private let flight = Coalescer<URL, Snapshot>()
    private var fetched: Snapshot?
    private var searchedAt: Date?
    /// The number of requests begun so far.
    private var requests = 0

    private struct Snapshot: Sendable {
        let keys: JSONWebKeySet
        /// Number of the request that brought the keys, from 1.
        let number: Int
        /// The time at which the request began. The age of the keys counts from then, because the server may withdraw a
        /// key before the response arrives.
        let askedAt: Date
    }

    /// The longest time a set is used, in seconds.
    static let maximumAge: TimeInterval = 300
    /// The shortest time between two fetches for a key that was not found, in seconds.
    static let searchInterval: TimeInterval = 60

    /// Creates an empty cache. The address is checked against `transportSecurity` before each request.
    package init(
        jwksURI: URL, transport: any HTTPTransport, transportSecurity: TransportSecurity = .httpsOnly,
        time: TimeSource = .system
    ) {
        self.jwksURI = jwksURI
        self.transport = transport
        self.transportSecurity = transportSecurity
        self.time = time
    }

    /// Returns the cached keys if they are less than five minutes old, and otherwise fetches them.
    /// - Throws: ``OAuthError``, `CancellationError`, or what the transport throws. An older set is not used when the request
    ///   fails.
    package func keys() async throws -> JSONWebKeySet {
        try await snapshot().keys
    }

    /// Returns keys whose request did not begin before `date`. Older keys may be wrong for a token of that date, because a
    /// server may replace a key and keep its `kid`.
    /// - Throws: as ``keys()``.
    package func keys(askedAfter date: Date) async throws -> JSONWebKeySet {
        if let known, known.askedAt > date { return known.keys }
        let joined = try await fetch()
        // The shared request may have begun before `date`.
        return joined.askedAt >= date ? joined.keys : try await fetch().keys
    }

    /// The cached keys, if they are less than five minutes old; otherwise `nil`.
    package var knownKeys: JSONWebKeySet? { known?.keys }

    private var known: Snapshot? {
        // A negative age means that the clock was set back, so the real age is unknown.
        guard let fetched, 0..<Self.maximumAge ~= time.now.timeIntervalSince(fetched.askedAt) else { return nil }
        return fetched
    }

    private func snapshot() async throws -> Snapshot {
        if let known { return known }
        return try await fetch()
    }

    /// Verifies `message`. The keys are fetched again, but at most once a minute, if no cached key fits the message, or if the
    /// signature is wrong and the message has no `kid` to select the key.
    /// - Returns: the key that verifies the signature.
    /// - Throws: ``OAuthError``, `CancellationError`, or what the transport throws.
    @discardableResult
    package func verify(_ message: JSONWebSignature, by verifier: SignatureVerifier) async throws -> JSONWebKey {
        try await verify(message, by: verifier, doubting: false)
    }

    /// Verifies a message as ``verify(_:by:)`` does, and optionally fetches the keys again for a wrong signature.
    /// - Parameter doubting: whether to verify a wrong signature once more with newly fetched keys. If the request for the keys
    ///   began after this call, they are new enough and are not fetched again. With `true`, a wrong signature usually costs a
    ///   request, so pass `true` only for messages in the server's own response.
    func verify(
        _ message: JSONWebSignature, by verifier: SignatureVerifier, doubting: Bool
    ) async throws -> JSONWebKey {
        // Before sending a request for keys, refuse a message that no key can verify.
        _ = try verifier.algorithm(of: message)
        let begun = requests
        let known = try await snapshot()
        do {
            return try verifier.verify(message, with: known.keys)
        } catch OAuthError.invalidToken(.invalidSignature) where doubting && known.number <= begun {
            var newest = try await fetch()
            // The shared request may have begun before this call.
            if newest.number <= begun { newest = try await fetch() }
            return try verifier.verify(message, with: newest.keys)
        } catch let failure as OAuthError
            where failure.mayBeKeyRotation(of: message) && known.number <= begun && maySearch()
        {
            searchedAt = time.now
            return try verifier.verify(message, with: try await fetch().keys)
        }
    }

    private func maySearch() -> Bool {
        guard let searchedAt else { return true }
        return !(0..<Self.searchInterval ~= time.now.timeIntervalSince(searchedAt))
    }

    private func fetch() async throws -> Snapshot {
        try transportSecurity.require(jwksURI)
        let (url, transport, time) = (jwksURI, transport, time)
        let snapshot = try await flight.value(for: url) {
            let (number, askedAt) = (await self.countRequest(), time.now)
            var request = URLRequest.json(from: url)
            request.setValue("application/json, application/jwk-set+json", forHTTPHeaderField: "Accept")
            let (data, response) = try await transport.data(for: request)
            return Snapshot(keys: try JSONWebKeySet(data, response), number: number, askedAt: askedAt)
        }
        if snapshot.number > fetched?.number ?? 0 { fetched = snapshot }
        return snapshot
    }

    private func countRequest() -> Int {
        requests += 1
        return requests
    }
}

extension OAuthError {
    /// Whether newly fetched keys may verify `message` after this failure. They may if no key was found, or if the key
    /// was weak or unfit, because the server may have replaced it. They also may if the signature is wrong and the
    /// message has no `kid` to select the key.
    func mayBeKeyRotation(of message: JSONWebSignature) -> Bool {
        switch self {
        case .invalidToken(.keyNotFound), .invalidToken(.unfitKey), .invalidToken(.weakKey): true
        case .invalidToken(.invalidSignature): message.keyID == nil
        default: false
        }
    }
}
