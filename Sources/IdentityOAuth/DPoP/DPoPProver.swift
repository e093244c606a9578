import Foundation
import IdentityKit

/// Proves with every request that this client holds a key (RFC 9449), so that a stolen token is useless without the
/// key.
///
/// A prover belongs to one key. It learns nonces and clock offsets from responses, so pass every response to it.
package final class DPoPProver: Sendable {
    /// The key the tokens are bound to.
    package let key: SigningKey
    private let servers: DPoPServers
    private let random: RandomSource
    private let time: TimeSource

    /// Creates a prover that shares its nonces and clock offsets with no other prover.
    /// - Parameters:
    ///   - key: the key; keep it as long as the tokens that are bound to it.
    ///   - random: the source of the unique identifiers (`jti`).
    ///   - time: the clock for the `iat` of proofs.
    package convenience init(key: SigningKey, random: RandomSource = .system, time: TimeSource = .system) {
        self.init(key: key, servers: DPoPServers(time: time), random: random, time: time)
    }

    /// - Parameter servers: nonces and clock offsets, shared with the client's other keys.
    init(key: SigningKey, servers: DPoPServers, random: RandomSource, time: TimeSource) {
        self.key = key
        self.servers = servers
        self.random = random
        self.time = time
    }

    /// Adds a proof to `request`, and the access token if one is given.
    /// - Parameters:
    ///   - request: the request as it will be sent: its method and address are part of the proof.
    ///   - accessToken: the token to send with the scheme `DPoP`; `nil` for a request without an access token, such as
    ///     a token request.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the address of the request has no host or the key cannot sign,
    ///   `MalformedTokenError` for the access token, and `RandomnessError`.
    package func prove(_ request: inout URLRequest, accessToken: Secret? = nil) throws {
        guard let parts = request.url.flatMap({ URLParts($0.absoluteString) }), let origin = parts.serialOrigin else {
            throw OAuthError.invalidSetting(.invalidParameter("htu"))
        }
        let (nonce, offset) = servers.demands(of: origin)
        // The `htu` is the address without query and fragment (RFC 9449 section 4.2).
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

    static func hash(of accessToken: Secret) -> String {
        Base64URL.encode(sha256(Data(accessToken.reveal().utf8)))
    }

    /// Learns the nonce for the next proof (RFC 9449 section 8.2). Learns the server's clock as well, but only from a
    /// response whose `WWW-Authenticate` has the error `invalid_dpop_proof`: a cache or a proxy may have set the `Date`
    /// of any other response.
    package func learn(from response: HTTPURLResponse) {
        servers.learn(from: response)
    }

    /// Learns the nonce and the server's clock from a response that refuses a proof.
    /// - Parameters:
    ///   - response: the error response.
    ///   - request: the request as it was sent.
    ///   - error: the error code in the response.
    /// - Returns: whether to send the request again, because a new proof would have another nonce, or a time that
    ///   differs by more than 30 seconds.
    func learn(from response: HTTPURLResponse, refusing request: URLRequest, _ error: OAuthErrorCode) -> Bool {
        servers.learn(from: response, refusing: request, error)
    }
}
