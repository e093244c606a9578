import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityLocalServers

/// A refresh that brings no tokens: whether the token counts as read, as spent or as dead.
@Suite("What a refresh without tokens comes to")
struct RefreshFaultTests {
    typealias Fault = RefreshFault

    private static func outcome(of fault: Fault) -> RefreshOutcome {
        switch fault {
        case .captivePage, .hugePage, .captiveRedirect, .firewallPage, .proxyAuthentication, .retryAfterSeconds,
            .retryAfterDate,
            .tooManyRequests, .temporarilyUnavailable:
            .unspent
        case .gatewayPage, .gatewayTimeoutPage, .silence, .lostResponse, .halfResponse, .hugeResponse,
            .invalidGrantAsServerError:
            .inDoubt
        case .emptyResponse: .unreadable
        case .invalidGrant, .invalidToken: .refused
        case .invalidRequest, .emptyUnauthorized, .badRefreshToken, .notOK: .ambiguous
        case .interactionRequired, .loginRequired: .personNeeded
        case .invalidClient, .unauthorizedClient: .misconfigured
        case .invalidScope: .stepUpNeeded
        }
    }

    @Test(arguments: Fault.allCases)
    func outcome(fault: Fault) async throws {
        let session = try await OpenIDSession()
        session.server.fail(fault)
        let refreshes = session.server.http.log.count { $0.path == "/token" }
        async let outcome = session.outcome()
        if fault == .silence {
            // The connection ends when the server does.
            while session.server.http.log.count(where: { $0.path == "/token" }) == refreshes { await Task.yield() }
            await session.server.stop()
        }
        #expect(await outcome == Self.outcome(of: fault))
        // Only what acted has spent the token.
        let token = session.credential.refreshToken?.reveal() ?? ""
        #expect((session.server.core.backend.tokens.refreshToken(token) != nil) != fault.acts)
        if fault != .silence { await session.server.stop() }
    }

    @Test("The article names every fault")
    func article() throws {
        let file = PackageFolder.url.appendingPathComponent(
            "Sources/IdentityLocalServers/IdentityLocalServers.docc/TestingOffline.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let faults = LocalOpenIDConnectServer.TokenFault.allCases.map(\.rawValue) + Fault.allCases.map(\.rawValue)
        for fault in faults { #expect(text.contains("`\(fault)`"), "\(fault)") }
    }
}
