import IdentityKit

/// A relying party whose server is discovered at first use and then kept. A failed discovery is not kept.
public final class DiscoveredRelyingParty: Sendable {
    private let found = Locked<RelyingParty?>(nil)
    private let flight = Coalescer<String, RelyingParty>()
    private let discover: @Sendable () async throws -> RelyingParty

    /// - Parameter discover: finds the server.
    public init(_ discover: @escaping @Sendable () async throws -> RelyingParty) {
        self.discover = discover
    }

    package var knownRelyingParty: RelyingParty? { found.withLock { $0 } }

    /// Discovers the server again at the next use.
    func forget() {
        found.withLock { $0 = nil }
    }

    /// The relying party, discovered once for all callers.
    /// - Throws: what the discovery throws.
    public var relyingParty: RelyingParty {
        get async throws {
            if let knownRelyingParty { return knownRelyingParty }
            return try await flight.value(for: "discovery") { [found, discover] in
                let party = try await discover()
                found.withLock { $0 = party }
                return party
            }
        }
    }
}
