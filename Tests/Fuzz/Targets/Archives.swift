import Foundation
import IdentityKit
import IdentityOAuthProviders

@testable import IdentityOAuth

/// What an app has kept of AppAuth's sessions: a binary property list by `NSKeyedArchiver`.
enum Archives {
    private static let server = OpenIDConnectSettings(issuer: "https://id.example.com", clientID: "app").server
    private static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

    @Sendable static func read(_ input: FuzzInput) {
        do {
            let kept = try AppAuthState(input.data).kept(for: server, account: nil, at: now) {}
            rule(!kept.account.isEmpty, "a session is nobody's")
            rule(kept.credential.backend == server.backend, "a session is of another server")
        } catch {
            error.tell()
        }
    }
}
