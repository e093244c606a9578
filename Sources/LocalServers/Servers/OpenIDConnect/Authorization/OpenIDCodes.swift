import Foundation
import IdentityKit

/// The authorization codes that were handed out. A spent one is kept until it would have expired, so that it is known when it
/// comes again.
final class OpenIDCodes: Sendable {
    /// What a code stands for.
    struct Code: Sendable {
        let request: OpenIDAuthorizationRequest
        let grant: OpenIDGrant
        let expiresAt: Date
        var isSpent = false
    }

    enum Redemption: Sendable {
        case fresh(Code)
        case replayed(Code)
        case unknown
    }

    private let codes = Locked<[String: Code]>([:])
    private let lifetime: Duration
    private let time: TimeSource

    init(lifetime: Duration, time: TimeSource) {
        self.lifetime = lifetime
        self.time = time
    }

    /// Hands out a code.
    /// - Parameter isSpent: whether it is worth nothing from the start.
    func issue(for request: OpenIDAuthorizationRequest, _ grant: OpenIDGrant, isSpent: Bool) -> String {
        let text = LocalIdentifiers.base64URL(byteCount: 24)
        let now = time.now
        let code = Code(request: request, grant: grant, expiresAt: now + lifetime.timeInterval, isSpent: isSpent)
        codes.withLock { codes in
            codes = codes.filter { now < $1.expiresAt }
            codes[text] = code
        }
        return text
    }

    /// Spends a code, whatever the rest of the request is worth. One of another client stays as it is.
    func redeem(_ text: String, clientID: String) -> Redemption {
        codes.withLock { codes in
            guard let code = codes[text], code.grant.clientID == clientID, time.now < code.expiresAt else {
                return .unknown
            }
            guard !code.isSpent else { return .replayed(code) }
            codes[text]?.isSpent = true
            return .fresh(code)
        }
    }
}
