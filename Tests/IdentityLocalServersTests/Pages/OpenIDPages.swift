import Foundation
import IdentityKit

@testable import IdentityLocalServers

/// Runs `body` with a server, an application, and a person whom it sends there.
func withOpenIDPages(
    _ body: (LocalOpenIDConnectServer, PlainOpenIDClient, FormVisitor) async throws -> Void
) async throws {
    let server = try await LocalOpenIDConnectServer.start(configuration: .init { $0.signingAlgorithm = .es256 })
    do {
        try await body(server, PlainOpenIDClient(server), FormVisitor(server.url))
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
