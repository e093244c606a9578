import Foundation
import IdentityKit

/// Keeps the codes that apps get in redirects, until the apps exchange them for tokens.
final class InsForgeOAuthCodes: Sendable {
    private struct Pending: Sendable {
        let userID: String
        let codeChallenge: String
        let expiresAt: Date
    }

    static let lifetime: TimeInterval = 300

    private let pending = Locked<[String: Pending]>([:])
    private let time: TimeSource

    init(time: TimeSource) { self.time = time }

    /// A new code, bound to the code challenge of its sign-in.
    func issue(userID: String, codeChallenge: String) -> String {
        let code = LocalIdentifiers.hex(byteCount: 32)
        let now = time.now
        pending.withLock { pending in
            pending = pending.filter { now <= $1.expiresAt }
            pending[code] = Pending(
                userID: userID, codeChallenge: codeChallenge, expiresAt: now.addingTimeInterval(Self.lifetime))
        }
        return code
    }

    /// Returns the identifier of the user for whom the code was issued. The first attempt uses the code up, even if that
    /// attempt fails (Backends/InsForge.md#signing-in-by-another-provider).
    /// - Throws: `INVALID_INPUT` for an unknown, used or expired code; 400 `AUTH_UNAUTHORIZED` for a wrong code verifier.
    func redeem(_ code: String, codeVerifier: String) throws -> String {
        let removed = pending.withLock { $0.removeValue(forKey: code) }
        guard let entry = removed, time.now <= entry.expiresAt else {
            throw InsForgeServerError.invalidInput("Invalid or expired code")
        }
        guard TokenSigner.base64URL(sha256(Data(codeVerifier.utf8))) == entry.codeChallenge else {
            throw InsForgeServerError(400, "AUTH_UNAUTHORIZED", "PKCE verification failed")
        }
        return entry.userID
    }
}
