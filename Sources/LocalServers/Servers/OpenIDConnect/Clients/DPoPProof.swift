import Foundation
import IdentityKit

/// The nonces the server gave, and the proofs it has seen (RFC 9449 sections 8 and 11.1).
final class DPoPState: Sendable {
    private struct State: Sendable {
        var nonce = ""
        var previousNonce = ""
        var changesAt = Date.distantPast
        var seenProofs: Set<String> = []
    }

    private let state = Locked(State())
    private let nonceLifetime: Duration
    private let time: TimeSource

    init(nonceLifetime: Duration, time: TimeSource) {
        self.nonceLifetime = nonceLifetime
        self.time = time
    }

    /// The nonce a proof should carry now.
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

    /// Whether a proof with this nonce is taken; the nonce before the current one still is.
    func accepts(nonce: String) -> Bool {
        let current = currentNonce()
        return nonce == current || state.withLock { !$0.previousNonce.isEmpty && nonce == $0.previousNonce }
    }

    /// Whether this proof is seen for the first time.
    func isFresh(_ proofID: String) -> Bool {
        state.withLock { $0.seenProofs.insert(proofID).inserted }
    }
}

extension OpenIDCall {
    /// The thumbprint of the key that a DPoP proof proves (RFC 9449 section 4.3); `nil` without a proof.
    /// - Parameter accessToken: the token the proof must be about, at a resource.
    func provenKey(accessToken: String? = nil) throws -> String? {
        let proofs = request.headers.filter { $0.name.caseInsensitiveCompare("DPoP") == .orderedSame }
        guard !proofs.isEmpty else { return nil }
        guard proofs.count == 1, let proof = SignedMessage(proofs[0].value) else {
            throw invalidProof("There must be exactly one proof, a signed JWT")
        }
        guard let key = proof.header["jwk"].flatMap(PublicJWK.init), proof.header["typ"]?.stringValue == "dpop+jwt",
            proof.isSigned(by: key)
        else { throw invalidProof("The proof is not signed by the key it names") }
        try checkClaims(proof.claims, accessToken: accessToken)
        return key.thumbprint
    }

    private func checkClaims(_ claims: JSONValue, accessToken: String?) throws {
        guard claims["htm"]?.stringValue == request.method, claims["htu"]?.stringValue == address else {
            throw invalidProof("The proof is for another request")
        }
        guard let issuedAt = claims["iat"]?.numberValue,
            abs(issuedAt - backend.now(behaviour).timeIntervalSince1970) <= 300
        else { throw invalidProof("The proof is too old or too new") }
        if let accessToken {
            let hash = TokenSigner.base64URL(sha256(Data(accessToken.utf8)))
            guard claims["ath"]?.stringValue == hash else {
                throw invalidProof("The proof is about another access token")
            }
        }
        let needsNonce = backend.configuration.requiresDPoPNonces
        let hasNonce = claims["nonce"]?.stringValue.map(backend.dpop.accepts) ?? false
        if behaviour.has(.endlessDPoPNonces) || (needsNonce && !hasNonce) {
            throw proofFailure("use_dpop_nonce", "The proof must carry the server's nonce")
        }
        guard let id = claims["jti"]?.stringValue, backend.dpop.isFresh(id) else {
            throw invalidProof("The proof was used before")
        }
    }

    /// The address of this request without query and fragment.
    private var address: String {
        let prefix = backend.configuration.path
        return backend.baseURL + request.path.dropFirst(prefix.count)
    }

    private func invalidProof(_ description: String) -> OpenIDFailure {
        proofFailure("invalid_dpop_proof", description)
    }

    /// A resource answers 401 with a challenge (RFC 9449 section 7.1), the token endpoint 400 (section 5).
    private func proofFailure(_ error: String, _ description: String) -> OpenIDFailure {
        request.header("Authorization")?.lowercased().hasPrefix("dpop ") == true
            ? .challenge(status: 401, scheme: "DPoP", error: error, description: description)
            : .oauth(error, description)
    }
}
