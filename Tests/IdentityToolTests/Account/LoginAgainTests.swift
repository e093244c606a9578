import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// After a session has ended, the next sign-in is shown, and leads somewhere.
@Suite(.endsInTime) struct LoginAgainTests {
    /// How a session came to its end.
    enum End: CaseIterable, Sendable {
        case refused, expired, absolute
    }

    @Test("A token that is gone says sign in, the sign-in is shown, and then there is a token", arguments: End.allCases)
    func again(end: End) async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            switch end {
            case .refused:
                try await fixture.expireToken()
                fixture.thunderID.revokeFamilies(ofUser: fixture.thunderID.user.id)
            case .expired:
                try await fixture.keep(fixture.thunderIDAccount, at: fixture.thunderID.url) {
                    ($0.refreshToken, $0.expiresAt) = (nil, Date() - 1)
                }
            case .absolute:
                try await fixture.keep(fixture.thunderIDAccount, at: fixture.thunderID.url) {
                    $0.sessionEndsAt = Date() - 1
                }
            }
            for _ in 1...2 { #expect(try await fixture.run("token").status == 3) }
            let flows = fixture.thunderID.http.log.count { $0.path.hasPrefix("/flow/execute") }
            let user = fixture.thunderID.user
            let login = try await fixture.run(
                "login", "--username", user.username, "--password-stdin", input: user.password.reveal() + "\n")
            #expect(login.status == 0 && login.output == fixture.thunderIDAccount.id + "\n", "\(login.errors)")
            #expect(fixture.thunderID.http.log.count { $0.path.hasPrefix("/flow/execute") } > flows)
            #expect(try await fixture.run("token").status == 0)
        }
    }
}
