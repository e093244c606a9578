import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Something that every transport promises, tried against a real server.
package struct TransportCheck: Sendable, CustomTestStringConvertible {
    /// Makes the transport under test.
    package struct Maker: Sendable {
        fileprivate let make: @Sendable (Duration, Int, TimeSource) throws -> any HTTPTransport

        /// - Parameter make: makes one with a deadline, the largest size of a response, and a clock.
        package init(_ make: @escaping @Sendable (Duration, Int, TimeSource) throws -> any HTTPTransport) {
            self.make = make
        }

        func callAsFunction(
            deadline: Duration = Patience.limit, maximumResponseSize: Int = 1 << 20, time: TimeSource = .system
        ) throws -> any HTTPTransport {
            try make(deadline, maximumResponseSize, time)
        }
    }

    let promise: String
    let body: @Sendable (Maker) async throws -> Void

    init(_ promise: String, _ body: @escaping @Sendable (Maker) async throws -> Void) {
        self.promise = promise
        self.body = body
    }

    package var testDescription: String { promise }

    /// Tries it with the transports that `make` makes.
    package func run(_ make: Maker) async throws { try await body(make) }

    /// All of them.
    package static let all = responses + ends + connections

    static func server(_ response: LocalResponse) async throws -> LocalHTTPServer {
        try await LocalHTTPServer.start { _ in response }
    }
}
