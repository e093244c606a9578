import Foundation
import IdentityKit

/// The nonce for the next proof to each server (RFC 9449 section 8), and the offset of each server's clock from this
/// machine's. All keys of a client share them.
final class DPoPServers: Sendable {
    private struct Known: Sendable {
        var nonces: [String: String] = [:]
        var offsets: [String: ClockOffset] = [:]
    }

    /// The tolerated difference between a proof's time and the server's clock, in seconds. Only a greater difference
    /// counts as the reason for a refusal.
    private static let largestError: TimeInterval = 30

    private let time: TimeSource
    private let known = Locked(Known())

    init(time: TimeSource) {
        self.time = time
    }

    /// Returns the nonce and the clock offset for a proof to the server at `origin`. The nonce is `nil` before the
    /// server has sent one. The offset is zero while none is known.
    func demands(of origin: String) -> (nonce: String?, offset: ClockOffset) {
        known.withLock { ($0.nonces[origin], $0.offsets[origin] ?? .none) }
    }

    /// Learns the nonce for the next proof (RFC 9449 section 8.2). Learns the server's clock as well, but only from a
    /// response whose `WWW-Authenticate` has the error `invalid_dpop_proof`: a cache or a proxy may have set the `Date`
    /// of any other response.
    func learn(from response: HTTPURLResponse) {
        guard let origin = response.serialOrigin else { return }
        let nonce = response.value(forHTTPHeaderField: "DPoP-Nonce")
        let offset = response.proofError == .invalidDPoPProof ? clockOffset(of: response) : nil
        known.withLock { known in
            if let nonce, nonce.isUnquotedWord { known.nonces[origin] = nonce }
            if let offset { known.offsets[origin] = offset }
        }
    }

    /// Learns the nonce and the server's clock from a response that refuses a proof.
    /// - Parameters:
    ///   - response: the error response.
    ///   - request: the request as it was sent.
    ///   - error: the error code in the response.
    /// - Returns: whether to send the request again, because a new proof would have another nonce, or a time that
    ///   differs by more than 30 seconds.
    func learn(from response: HTTPURLResponse, refusing request: URLRequest, _ error: OAuthErrorCode) -> Bool {
        guard [.useDPoPNonce, .invalidDPoPProof].contains(error), let origin = response.serialOrigin,
            let proof = request.value(forHTTPHeaderField: "DPoP").flatMap({ try? JSONWebToken(Secret($0)) })
        else { return false }
        learn(from: response)
        let now = time.now
        let offset = error == .invalidDPoPProof ? clockOffset(of: response) : nil
        return known.withLock { known in
            let hasOtherNonce = known.nonces[origin] != proof.claims["nonce"]?.stringValue
            guard let offset else { return hasOtherNonce }
            let error = offset.serverTime(at: now).timeIntervalSince(proof.issuedAt ?? .distantPast)
            let isOfOtherTime = abs(error) > Self.largestError
            // If the refused proof already had the latest nonce and a time close to the `Date` of the response, it was
            // refused for another reason. The `Date` may come from a proxy with a wrong clock, so the offset learned
            // from it is forgotten.
            if isOfOtherTime { known.offsets[origin] = offset } else if !hasOtherNonce { known.offsets[origin] = nil }
            return hasOtherNonce || isOfOtherTime
        }
    }

    private func clockOffset(of response: HTTPURLResponse) -> ClockOffset? {
        let now = time.now
        return ClockOffset(response, sentAt: now, receivedAt: now)
    }
}

extension HTTPURLResponse {
    fileprivate var serialOrigin: String? { url.flatMap { URLParts($0.absoluteString) }?.serialOrigin }

    /// The error code in `WWW-Authenticate` by which a resource refuses a proof (RFC 9449 section 7.1); `nil` in any
    /// other response.
    var proofError: OAuthErrorCode? {
        AuthenticationChallenge.parse(value(forHTTPHeaderField: "WWW-Authenticate") ?? "").lazy
            .filter { $0.isScheme("DPoP") }.compactMap { $0.parameters["error"].map(OAuthErrorCode.init(rawValue:)) }
            .first { [.useDPoPNonce, .invalidDPoPProof].contains($0) }
    }
}
