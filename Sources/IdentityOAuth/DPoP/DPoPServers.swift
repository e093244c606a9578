import Foundation
import IdentityKit

/// Facts about servers that accept proofs: the nonce for the next one (RFC 9449 section 8), and the offset of their
/// clock. All keys of a client share it.
final class DPoPServers: Sendable {
    private struct Known: Sendable {
        var nonces: [String: String] = [:]
        var offsets: [String: ClockOffset] = [:]
    }

    /// The clock difference in seconds up to which a server accepts a proof, so that a new one is not worth a request.
    private static let largestError: TimeInterval = 30

    private let time: TimeSource
    private let known = Locked(Known())

    init(time: TimeSource) {
        self.time = time
    }

    /// The nonce for a proof to the server at `origin`, and the offset of that server's clock.
    func demands(of origin: String) -> (nonce: String?, offset: ClockOffset) {
        known.withLock { ($0.nonces[origin], $0.offsets[origin] ?? .none) }
    }

    /// Learns the nonce for the next proof (RFC 9449 section 8.2), and, from a response that refuses a proof in
    /// `WWW-Authenticate`, the server's clock. Any other response's `Date` is ignored, because a cache or a proxy may
    /// have set it.
    func learn(from response: HTTPURLResponse) {
        guard let origin = response.serialOrigin else { return }
        let nonce = response.value(forHTTPHeaderField: "DPoP-Nonce")
        let offset = response.proofError == .invalidDPoPProof ? clockOffset(of: response) : nil
        known.withLock { known in
            if let nonce, nonce.isUnquotedWord { known.nonces[origin] = nonce }
            if let offset { known.offsets[origin] = offset }
        }
    }

    /// Learns from the refusal of a proof.
    /// - Parameters:
    ///   - response: the refusal.
    ///   - request: the request as it was sent.
    ///   - error: what the server says.
    /// - Returns: whether to try again: a new proof would have another nonce or another time.
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
            // If a proof already had the server's time, the refusal has another cause, and the `Date` may be a proxy's.
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

    /// The error code by which a resource refuses a proof (RFC 9449 section 7.1).
    var proofError: OAuthErrorCode? {
        AuthenticationChallenge.parse(value(forHTTPHeaderField: "WWW-Authenticate") ?? "").lazy
            .filter { $0.isScheme("DPoP") }.compactMap { $0.parameters["error"].map(OAuthErrorCode.init(rawValue:)) }
            .first { [.useDPoPNonce, .invalidDPoPProof].contains($0) }
    }
}
