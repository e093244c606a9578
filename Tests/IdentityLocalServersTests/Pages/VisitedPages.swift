import Foundation
import IdentityKit
import IdentityTesting

@testable import IdentityLocalServers

/// A client of a server of its own, and a person whom it sends there.
func openIDPages(
    _ configure: (inout LocalOpenIDConnectServer.Configuration) -> Void = { _ in }
) async throws -> (PlainOpenIDClient, FormVisitor) {
    let client = try await PlainOpenIDClient.start(ManualClock(), configure)
    return (client, FormVisitor(client.server.url))
}

/// An InsForge server that shows its hosted pages, and a person at a browser.
func insForgePages(
    _ adjust: (inout LocalInsForgeServer.Configuration) -> Void = { _ in }
) async throws -> (InsForgeProbe, FormVisitor) {
    let probe = try await InsForgeProbe.start {
        $0.asksPeople = true
        $0.legacy.servesHostedPage = true
        adjust(&$0)
    }
    return (probe, FormVisitor(probe.server.url))
}
