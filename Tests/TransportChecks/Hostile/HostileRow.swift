#if os(Linux)
import Foundation
import IdentityKit
import TestSupport
import Testing

import FoundationNetworking

/// A response that a server may send, rightly or not, and what a transport makes of it.
///
/// A row is one rule of RFC 9110, 9112 or 9113, or one way in which real servers, proxies and networks fail.
package struct HostileRow: Sendable, CustomTestStringConvertible {
    /// The result of a transport.
    enum Outcome: Sendable {
        /// A response with this status and body, and these of its header fields; `nil` means absent.
        case response(Int = 200, String = "{}", [String: String?] = [:])
        /// An error with one of these codes, and whether it says that nothing was sent.
        case failure(Set<String>, neverSent: Bool)

        /// The connection broke, and the request may have been sent.
        static let lost = Outcome.failure(["connection_lost"], neverSent: false)
        /// Something that is no HTTP has arrived.
        static let unreadable = Outcome.failure(["transport_failed", "connection_lost"], neverSent: false)
        static let tooLarge = Outcome.failure(["answer_too_large"], neverSent: false)
    }

    /// The result of Foundation's client.
    enum Foundation: Sendable {
        case same
        /// On Linux it does something else, which is its fault.
        case fault(String)
        /// On Linux it ends the process.
        case ends
        /// Not reachable through `URLSession`.
        case notSpoken
    }

    enum Kind: Sendable { case plain, tls, proxy, http2 }

    let name: String
    let kind: Kind
    let body: String?
    let outcome: Outcome
    let foundation: Foundation
    let serve: @Sendable (RawConnection) -> Void

    init(
        _ name: String, _ kind: Kind = .plain, body: String? = nil, _ outcome: Outcome,
        foundation: Foundation = .same, _ serve: @escaping @Sendable (RawConnection) -> Void
    ) {
        (self.name, self.kind, self.body, self.outcome) = (name, kind, body, outcome)
        (self.foundation, self.serve) = (foundation, serve)
    }

    /// A row that answers a request with `bytes` and ends the connection.
    init(
        _ name: String, bytes: String, _ outcome: Outcome, foundation: Foundation = .same, body: String? = nil
    ) {
        self.init(name, body: body, outcome, foundation: foundation) { connection in
            guard connection.readHead() != nil else { return }
            connection.write(bytes)
        }
    }

    package var testDescription: String { name }

    package static let all = heads + lengths + chunks + interim + encodings + ends + tls + proxies + http2

    // MARK: Running

    /// Sends a request to the row's server through the default transport of Linux.
    package func runOnCurl() async throws {
        try await run { server in
            guard let transport = CurlTransport() else { throw TransportError.notSent(host: "", detail: "no libcurl") }
            switch kind {
            case .plain, .tls: return transport
            case .proxy: return transport.through(proxy: server)
            case .http2: return transport.speakingHTTP2WithoutTLS()
            }
        }
    }

    /// Sends a request to the row's server through the transport of this system.
    package func runByDefault() async throws { try await run { _ in DefaultTransport.make() } }

    /// Sends a request to the row's server through Foundation's client, unless that cannot be done.
    package func runOnURLSession() async throws {
        switch foundation {
        case .same: try await run { _ in URLSessionTransport() }
        case .fault, .ends, .notSpoken: break
        }
    }

    private func run(_ transport: (URL) throws -> any HTTPTransport) async throws {
        let server = try RawServer(AF_INET, serve)
        defer { server.stop() }
        let address = "127.0.0.1:\(server.port)"
        let plain = try #require(URL(string: "http://\(address)/"))
        let text =
            kind == .proxy ? "https://id.example.com/" : kind == .tls ? "https://\(address)/" : plain.absoluteString
        var request = URLRequest(url: try #require(URL(string: text)))
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
        }
        do {
            let (body, head) = try await transport(plain).data(for: request)
            guard case .response(let status, let expected, let fields) = outcome else {
                Issue.record("\(name): \(head.statusCode) \(String(decoding: body.prefix(200), as: UTF8.self))")
                return
            }
            #expect(head.statusCode == status && String(decoding: body, as: UTF8.self) == expected)
            for (field, value) in fields { #expect(head.value(forHTTPHeaderField: field) == value, "\(field)") }
        } catch let error as TransportError {
            guard case .failure(let codes, let neverSent) = outcome else {
                Issue.record("\(name): \(error.failureCode) \(error.message)")
                return
            }
            #expect(codes.contains(error.failureCode), "\(error.failureCode) \(error.message)")
            #expect(error.wasNeverSent == neverSent, "\(error.failureCode)")
        }
        // A request is sent once, whatever happens to it.
        #expect(server.requestCount <= 1)
    }
}
#endif
