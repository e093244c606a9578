import Foundation
import IdentityKit
import LocalServers

/// Finds one port on every loopback address that a host name stands for.
struct LoopbackPorts {
    /// The host of the redirect URI.
    let host: String
    let time: TimeSource
    let handler: LocalHTTPServer.Handler

    /// A response is a line with a code and a few parameters, or a small form. A browser sends it at once.
    private static let limits = ConnectionLimits(
        maximumBytes: 1 << 17, maximumConnections: 32, deadline: .seconds(15))
    private static let maximumFormSize = 1 << 16
    /// How often another port is tried when the other address has no such port free.
    private static let attempts = 32

    /// Opens a port.
    /// - Parameter port: `nil` for any free one.
    /// - Throws: ``BrowserSignInError``.
    func open(_ port: Int?) async throws -> [LocalHTTPServer] {
        guard port == nil else { return try await openAll(port) }
        for _ in 1..<Self.attempts {
            // The second address may have the port of the first one in use.
            do { return try await openAll(nil) } catch BrowserSignInError.portTaken {}
        }
        return try await openAll(nil)
    }

    /// A browser takes `localhost` for either address, and tries the IPv6 one first (RFC 6761 section 6.3).
    private var addresses: [String] {
        switch host.lowercased() {
        case "localhost": ["127.0.0.1", "::1"]
        case "::1", "[::1]": ["::1"]
        default: [host]
        }
    }

    private func openAll(_ port: Int?) async throws -> [LocalHTTPServer] {
        var servers: [LocalHTTPServer] = []
        var wanted = port ?? 0
        for address in addresses {
            do {
                guard let server = try await open(wanted, on: address) else { continue }
                servers.append(server)
                wanted = server.url.port ?? wanted
            } catch {
                for server in servers { await server.stop() }
                throw error
            }
        }
        guard !servers.isEmpty else { throw BrowserSignInError.noAddress(host) }
        return servers
    }

    /// - Returns: `nil` when the machine has no such address, as one without IPv6.
    private func open(_ port: Int, on address: String) async throws -> LocalHTTPServer? {
        do {
            return try await LocalHTTPServer.start(
                host: address, port: port, maximumBodySize: Self.maximumFormSize, limits: Self.limits, time: time,
                handler: handler)
        } catch is PortInUse {
            throw BrowserSignInError.portTaken(port)
        } catch ListeningRefusal.notAllowed {
            throw BrowserSignInError.portNotAllowed(port)
        } catch ListeningRefusal.noSuchAddress {
            return nil
        }
    }
}
