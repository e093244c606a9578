import Foundation
import IdentityKit

@testable import IdentityLocalServers

/// Runs `body` with a server, an application, and a person whom it sends there.
func withOpenIDPages(
    _ body: (LocalOpenIDConnectServer, PlainOpenIDClient, FormVisitor) async throws -> Void
) async throws {
    let (server, client) = try await PlainOpenIDClient.start()
    try await running {
        try await body(server, client, FormVisitor(server.url))
    } thenStopping: {
        await server.stop()
    }
}

/// Runs `body` with an InsForge server that shows its hosted pages, and a person at a browser.
func withInsForgePages(
    _ adjust: (inout LocalInsForgeServer.Configuration) -> Void = { _ in },
    _ body: (InsForgeProbe, FormVisitor) async throws -> Void
) async throws {
    try await InsForgeProbe.run({
        $0.asksPeople = true
        $0.legacy.servesHostedPage = true
        adjust(&$0)
    }) { probe in try await body(probe, FormVisitor(probe.server.url)) }
}
