import Foundation
import IdentityKit

/// A server's requirements on a DPoP proof in addition to its signature (RFC 9449 section 4.3).
struct DPoPRules {
    /// The address of the request, without query and fragment.
    let address: String
    let now: Date
    /// The greatest difference between `iat` and the current time, in seconds.
    let tolerance: TimeInterval
    /// The names of the accepted algorithms; `nil` for all known ones.
    var algorithms: Set<String>?
    /// The access token of the request, whose hash the proof must contain as `ath`; `nil` without an access token.
    var accessToken: String?
    var acceptsNonce: (String?) -> Bool
}

struct DPoPError: Error {
    var error = "invalid_dpop_proof"
    let description: String
}

/// The latest two nonces of a server, and the identifiers of the proofs it has accepted (RFC 9449 sections 8 and
/// 11.1).
final class DPoPState: Sendable {
    private struct State: Sendable {
        var nonce = ""
        var previousNonce = ""
        var changesAt = Date.distantPast
        var seenProofs: Set<String> = []
    }

    private static let longestID = 256

    private let state = Locked(State())
    private let nonceLifetime: Duration
    private let time: TimeSource

    init(nonceLifetime: Duration, time: TimeSource) {
        self.nonceLifetime = nonceLifetime
        self.time = time
    }

    /// The nonce to send to clients. After the nonce lifetime, a new nonce replaces the current one. The former nonce is still
    /// accepted until the next replacement.
    func currentNonce() -> String {
        state.withLock { state in
            if time.now >= state.changesAt {
                state.previousNonce = state.nonce
                state.nonce = LocalIdentifiers.base64URL(byteCount: 12)
                state.changesAt = time.now + nonceLifetime.timeInterval
            }
            return state.nonce
        }
    }

    func accepts(nonce: String) -> Bool {
        let current = currentNonce()
        return nonce == current || state.withLock { !$0.previousNonce.isEmpty && nonce == $0.previousNonce }
    }

    /// Checks the DPoP proof of `request` (RFC 9449 section 4.3). Each proof is accepted only once.
    /// - Returns: the thumbprint of the key that signed the proof; `nil` if the request has no proof.
    func provenKey(of request: LocalRequest, _ rules: DPoPRules) throws(DPoPError) -> String? {
        let proofs = request.headers.filter { $0.name.caseInsensitiveCompare("DPoP") == .orderedSame }
        guard !proofs.isEmpty else { return nil }
        guard proofs.count == 1, let proof = SignedMessage(proofs[0].value) else {
            throw DPoPError(description: "There must be exactly one proof, a signed JWT")
        }
        guard let key = proof.header["jwk"].flatMap(PublicJWK.init), proof.header["typ"]?.stringValue == "dpop+jwt",
            rules.algorithms?.contains(proof.header["alg"]?.stringValue ?? "") != false, proof.isSigned(by: key)
        else { throw DPoPError(description: "The proof is not signed by the key it names") }
        let claims = proof.claims
        guard claims["htm"]?.stringValue == request.method, claims["htu"]?.stringValue == rules.address else {
            throw DPoPError(description: "The proof is for another request")
        }
        guard let issuedAt = claims["iat"]?.numberValue,
            abs(issuedAt - rules.now.timeIntervalSince1970) <= rules.tolerance
        else { throw DPoPError(description: "The proof is too old or too new") }
        let tokenHash = rules.accessToken.map { TokenSigner.base64URL(sha256(Data($0.utf8))) }
        guard tokenHash == nil || claims["ath"]?.stringValue == tokenHash else {
            throw DPoPError(description: "The proof is about another access token")
        }
        guard rules.acceptsNonce(claims["nonce"]?.stringValue) else {
            throw DPoPError(error: "use_dpop_nonce", description: "The proof must carry the nonce of this server")
        }
        guard let id = claims["jti"]?.stringValue, 1...Self.longestID ~= id.utf8.count else {
            throw DPoPError(description: "The proof must have an identifier of at most \(Self.longestID) bytes")
        }
        guard state.withLock({ $0.seenProofs.insert(id).inserted }) else {
            throw DPoPError(description: "The proof was used before")
        }
        return key.thumbprint
    }
}
