import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportCheck {
    /// Connections that are not made.
    static let connections: [TransportCheck] = [
        TransportCheck("Nothing listening is a refused connection") { make in
            let server = try await server(.text(""))
            await server.stop()
            let error = await #expect(throws: TransportError.self) {
                try await make().data(for: URLRequest(url: server.url))
            }
            #expect(error == .connectionRefused(host: server.url.authority))
            #expect(error?.wasNeverSent == true)
        },
        TransportCheck("A host without an address cannot be reached") { make in
            let url = try #require(URL(string: "http://nowhere.invalid/"))
            let error = await #expect(throws: TransportError.self) { try await make().data(for: URLRequest(url: url)) }
            #expect(error == .hostUnreachable(host: "nowhere.invalid"))
        },
        TransportCheck("A server that speaks no TLS is an insecure connection") { make in
            let server = try await server(.text("plain"))
            let host = server.url.authority
            let url = try #require(URL(string: "https://\(host)/"))
            let error = await #expect(throws: TransportError.self) {
                try await make().data(for: URLRequest(url: url))
            }
            guard case .insecureConnection(host, _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            await server.stop()
        },
        TransportCheck("A certificate that is not trusted is an error of its own, which does not pass by itself") {
            make in
            let server = try await TLSServer.start(host: "localhost")
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let error = await #expect(throws: TransportError.self) { try await make().data(for: URLRequest(url: url)) }
            #expect(error?.failureCode == "certificate_untrusted")
            #expect(error?.failureClass == .definitive && error?.wasNeverSent == true)
            server.stop()
        },
    ]
}
