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
    /// The number of requests begun so far.
    private var requests = 0

    private struct Snapshot: Sendable {
        let keys: JSONWebKeySet
        /// Number of the request that brought the keys, from 1.
        let number: Int
        /// The time of the request: a key that the server withdrew after it may still be in the response.
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
    /// - Throws: ``OAuthError``, or what the transport throws. An expired set is not used as a substitute.
    public func keys() async throws -> JSONWebKeySet {
        try await snapshot().keys
    }

    /// The keys, asked for after `date`: a server may replace a key and keep its `kid`.
    /// - Throws: as ``keys()``.
    package func keys(askedAfter date: Date) async throws -> JSONWebKeySet {
        if let known, known.askedAt > date { return known.keys }
        let joined = try await fetch()
        // The shared request may have begun before `date`.
        return joined.askedAt >= date ? joined.keys : try await fetch().keys
    }

    /// The cached keys, at most five minutes old; `nil` if they must be fetched.
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

    /// Verifies `message`, and fetches the keys again if none of them fits.
    /// - Throws: ``OAuthError``, or what the transport throws.
    @discardableResult
    package func verify(_ message: JSONWebSignature, by verifier: SignatureVerifier) async throws -> JSONWebKey {
        try await verify(message, by: verifier, doubting: false)
    }

    /// Verifies a message, with a choice about wrong signatures.
    /// - Parameter doubting: whether to fetch the keys again before a signature counts as wrong. Only for messages that
    ///   a server sent in response to a request of ours, because each costs a request.
    func verify(
        _ message: JSONWebSignature, by verifier: SignatureVerifier, doubting: Bool
    ) async throws -> JSONWebKey {
        // Refuse messages that no key can verify before a request is sent for them.
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
    /// Whether new keys may verify `message` after this failure: its key is unknown, or may have replaced a weak one or
    /// one of another type, or the message has no `kid`.
    func mayBeKeyRotation(of message: JSONWebSignature) -> Bool {
        switch self {
        case .invalidToken(.keyNotFound), .invalidToken(.unfitKey), .invalidToken(.weakKey): true
        case .invalidToken(.invalidSignature): message.keyID == nil
        default: false
        }
    }
}
