import Foundation
import IdentityKit

/// The published keys of one server, fetched when needed.
///
/// A set is used for at most five minutes, so that a withdrawn key stops working. A token with an unknown key fetches the
/// set again, at most once a minute, because any sender can write a `kid`. Concurrent callers share one request.
public actor JWKSCache {
    /// The address at which the keys are published.
    package nonisolated let jwksURI: URL
    private let transport: any HTTPTransport
    private let transportSecurity: TransportSecurity
    private let time: TimeSource
    private let flight = Coalescer<URL, Snapshot>()
    private var fetched: Snapshot?
    private var searchedAt: Date?
    /// How many requests have begun.
    private var requests = 0

    private struct Snapshot: Sendable {
        let keys: JSONWebKeySet
        /// Which request brought it, from 1.
        let number: Int
        /// When it was asked for: what the server withdrew meanwhile may still be in the response.
        let askedAt: Date
    }

    /// The longest time a set is used, in seconds.
    static let maximumAge: TimeInterval = 300
    /// The shortest time between two fetches for a key that was not found, in seconds.
    static let searchInterval: TimeInterval = 60

    /// Creates an empty cache.
    package init(
        jwksURI: URL, transport: any HTTPTransport, transportSecurity: TransportSecurity = .httpsOnly,
        time: TimeSource = .system
    ) {
        self.jwksURI = jwksURI
        self.transport = transport
        self.transportSecurity = transportSecurity
        self.time = time
    }

    /// The keys, at most five minutes old.
    /// - Throws: ``OAuthError``, or what the transport throws. An old set is not used instead.
    public func keys() async throws -> JSONWebKeySet {
        try await snapshot().keys
    }

    /// The keys, asked for after `date`: a server may replace a key and keep its `kid`.
    /// - Throws: as ``keys()``.
    package func keys(askedAfter date: Date) async throws -> JSONWebKeySet {
        if let known, known.askedAt > date { return known.keys }
        let joined = try await fetch()
        // A request that others wait for may have begun before.
        return joined.askedAt >= date ? joined.keys : try await fetch().keys
    }

    /// The keys at hand, at most five minutes old; `nil` when they are to be fetched.
    package var knownKeys: JSONWebKeySet? { known?.keys }

    private var known: Snapshot? {
        // A clock that was set back would make a set young for ever.
        guard let fetched, 0..<Self.maximumAge ~= time.now.timeIntervalSince(fetched.askedAt) else { return nil }
        return fetched
    }

    private func snapshot() async throws -> Snapshot {
        if let known { return known }
        return try await fetch()
    }

    /// Verifies `message`, fetching the keys again when they do not contain its own.
    /// - Throws: ``OAuthError``, or what the transport throws.
    @discardableResult
    package func verify(_ message: JSONWebSignature, by verifier: SignatureVerifier) async throws -> JSONWebKey {
        try await verify(message, by: verifier, doubting: false)
    }

    /// Verifies a message, as above.
    /// - Parameter doubting: whether a wrong signature is one only by keys that were asked for from now on. Only for what a
    ///   server sent in answer to a request of ours, because it costs the server a request each time.
    func verify(
        _ message: JSONWebSignature, by verifier: SignatureVerifier, doubting: Bool
    ) async throws -> JSONWebKey {
        // Refuse what no key can save before anything is fetched for it.
        _ = try verifier.algorithm(of: message)
        let begun = requests
        let known = try await snapshot()
        do {
            return try verifier.verify(message, with: known.keys)
        } catch OAuthError.invalidToken(.invalidSignature) where doubting && known.number <= begun {
            var newest = try await fetch()
            // The fetch may have begun before, for somebody else.
            if newest.number <= begun { newest = try await fetch() }
            return try verifier.verify(message, with: newest.keys)
        } catch let failure as OAuthError where failure.mayBeKeyRotation(of: message) && maySearch() {
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
    /// Whether this failure of verifying `message` may be due to keys that have rotated: an unknown key, one that may
    /// have been replaced for its weakness or by one of another type, or, without a `kid`, a signature by another key.
    func mayBeKeyRotation(of message: JSONWebSignature) -> Bool {
        switch self {
        case .invalidToken(.keyNotFound), .invalidToken(.unfitKey), .invalidToken(.weakKey): true
        case .invalidToken(.invalidSignature): message.keyID == nil
        default: false
        }
    }
}
