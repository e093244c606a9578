import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Proves with every request that this client holds a key (RFC 9449), so that a stolen token cannot be used.
///
/// A prover belongs to one key. It learns nonces and clock offsets from responses, so pass it every one.
public final class DPoPProver: Sendable {
    private struct Memory: Sendable {
        var nonces: [String: String] = [:]
        var offsets: [String: ClockOffset] = [:]
    }

    /// The key the tokens are bound to.
    public let key: SigningKey
    private let random: RandomSource
    private let time: TimeSource
    private let memory = Locked(Memory())

    /// Creates a prover.
    /// - Parameters:
    ///   - key: the key; keep it as long as the tokens that are bound to it.
    ///   - random: where the unique identifiers come from.
    ///   - time: the clock.
    public init(key: SigningKey, random: RandomSource = .system, time: TimeSource = .system) {
        self.key = key
        self.random = random
        self.time = time
    }

    /// Puts a proof on `request`, and the access token where there is one.
    /// - Parameters:
    ///   - request: the request as it will be sent: its method and address are part of the proof.
    ///   - accessToken: the token that is presented; `nil` for the token endpoint and its siblings.
    /// - Throws: ``/IdentityKit/RandomnessError``, ``/IdentityKit/MalformedTokenError``,
    ///   ``OAuthError/invalidSetting(_:)``.
    public func prove(_ request: inout URLRequest, accessToken: Secret? = nil) throws {
        guard let parts = request.url.flatMap({ URLParts($0.absoluteString) }), let origin = parts.serialOrigin else {
            throw OAuthError.invalidSetting(.invalidParameter("htu"))
        }
        let (nonce, offset) = memory.withLock { ($0.nonces[origin], $0.offsets[origin] ?? .none) }
        // The address without query and fragment (RFC 9449 section 4.2).
        var claims: [String: JSONValue] = [
            "jti": .string(Base64URL.encode(try random.bytes(16))), "htm": .string(request.httpMethod ?? "GET"),
            "htu": .string(origin + (parts.path.isEmpty ? "/" : parts.path)),
            "iat": .integer(offset.serverTime(at: time.now).wholeSecondsSince1970),
        ]
        claims["nonce"] = nonce.map(JSONValue.string)
        claims["ath"] = accessToken.map { .string(Self.hash(of: $0)) }
        let proof = try key.token(
            header: ["typ": "dpop+jwt", "jwk": .object(key.publicKey.requiredMembers)], claims: claims)
        request.setValue(proof.reveal(), forHTTPHeaderField: "DPoP")
        if let accessToken {
            request.setValue("DPoP " + (try accessToken.reveal().asToken()), forHTTPHeaderField: "Authorization")
        }
    }

    /// The `ath` of a token.
    static func hash(of accessToken: Secret) -> String {
        Base64URL.encode(sha256(Data(accessToken.reveal().utf8)))
    }

    /// Learns the nonce for the next proof (RFC 9449 section 8.2), and, from a response that refuses a proof in
    /// `WWW-Authenticate`, the server's clock. The `Date` of any other response may be that of a cache or a proxy.
    public func learn(from response: HTTPURLResponse) {
        guard let origin = response.serialOrigin else { return }
        let nonce = response.value(forHTTPHeaderField: "DPoP-Nonce")
        let offset = response.proofError == .invalidDPoPProof ? clockOffset(of: response) : nil
        memory.withLock { memory in
            if let nonce, nonce.isUnquotedWord { memory.nonces[origin] = nonce }
            if let offset { memory.offsets[origin] = offset }
        }
    }

    /// Learns from the refusal of a proof.
    /// - Parameters:
    ///   - response: the refusal.
    ///   - request: the request as it was sent.
    ///   - error: what the server says.
    /// - Returns: whether another proof can change the server's mind, because it has another nonce or is of another time.
    func learn(from response: HTTPURLResponse, refusing request: URLRequest, _ error: OAuthErrorCode) -> Bool {
        guard [.useDPoPNonce, .invalidDPoPProof].contains(error), let origin = response.serialOrigin,
            let proof = request.value(forHTTPHeaderField: "DPoP").flatMap({ try? JSONWebToken(Secret($0)) })
        else { return false }
        learn(from: response)
        let now = time.now
        let offset = error == .invalidDPoPProof ? clockOffset(of: response) : nil
        return memory.withLock { memory in
            let hasOtherNonce = memory.nonces[origin] != proof.claims["nonce"]?.stringValue
            guard let offset else { return hasOtherNonce }
            let error = offset.serverTime(at: now).timeIntervalSince(proof.issuedAt ?? .distantPast)
            let isOfOtherTime = abs(error) > Self.largestError
            // A proof of the server's own time is refused for another reason, and the `Date` may be a proxy's.
            if isOfOtherTime { memory.offsets[origin] = offset } else if !hasOtherNonce { memory.offsets[origin] = nil }
            return hasOtherNonce || isOfOtherTime
        }
    }

    /// How far a clock may be off so that another proof is not worth a request, in seconds.
    private static let largestError: TimeInterval = 30

    private func clockOffset(of response: HTTPURLResponse) -> ClockOffset? {
        let now = time.now
        return ClockOffset(response, sentAt: now, receivedAt: now)
    }
}

extension HTTPURLResponse {
    fileprivate var serialOrigin: String? { url.flatMap { URLParts($0.absoluteString) }?.serialOrigin }

    /// What a resource has against a proof (RFC 9449 section 7.1).
    var proofError: OAuthErrorCode? {
        AuthenticationChallenge.parse(value(forHTTPHeaderField: "WWW-Authenticate") ?? "").lazy
            .filter { $0.isScheme("DPoP") }.compactMap { $0.parameters["error"].map(OAuthErrorCode.init(rawValue:)) }
            .first { [.useDPoPNonce, .invalidDPoPProof].contains($0) }
    }
}

extension URLParts {
    /// Scheme, host and port in one text.
    var serialOrigin: String? {
        origin.map { scheme + "://" + $0 }
    }
}
