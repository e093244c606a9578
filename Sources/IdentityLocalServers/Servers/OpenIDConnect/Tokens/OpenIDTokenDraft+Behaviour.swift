import Foundation
import IdentityKit

extension OpenIDTokenDraft {
    /// Changes the claims, header and signature of an ID token as `behaviour` demands.
    /// - Parameters:
    ///   - isRefreshed: whether a refresh issues the token. Some misbehaviors affect only such tokens.
    ///   - spare: returns an attacker's key. With `embeddedKey`, this key signs the token and is the header member `jwk`.
    mutating func apply(
        _ behaviour: OpenIDBehaviour, isRefreshed: Bool, spare: () throws -> PublishedKey
    ) throws {
        vary(behaviour)
        for misbehaviour in behaviour.misbehaviours {
            breakClaims(misbehaviour)
            try breakForm(misbehaviour, spare: spare)
            if isRefreshed { breakRefresh(misbehaviour) }
        }
    }

    private mutating func vary(_ behaviour: OpenIDBehaviour) {
        if behaviour.has(.audienceArray) { claims["aud"] = claims["aud"].map { [$0] } }
        if behaviour.has(.oddClaims) { claims.merge(["acr": ["one", 2], "auth_time": "then"]) { $1 } }
        if behaviour.has(.issuedTenMinutesAhead) { shift("iat", by: 600) }
        if behaviour.has(.noAccessTokenHash) { claims["at_hash"] = nil }
        if behaviour.has(.floatDates) {
            // Move `exp` half a second later and the other dates half a second earlier, so that the token is valid at least as
            // long as without the fraction.
            shift("exp", by: 0.5)
            shift("iat", by: -0.5)
            shift("auth_time", by: -0.5)
        }
    }

    private mutating func breakClaims(_ misbehaviour: LocalOpenIDConnectServer.Misbehaviour) {
        switch misbehaviour {
        case .wrongIssuer: claims["iss"] = .string(OpenIDBehaviour.foreignIssuer)
        case .missingIssuer: claims["iss"] = nil
        case .wrongAudience: claims["aud"] = .string(OpenIDBehaviour.foreignClient)
        case .missingAudience: claims["aud"] = nil
        case .wrongAuthorizedParty: claims["azp"] = .string(OpenIDBehaviour.foreignClient)
        case .missingAuthorizedParty:
            claims["aud"] = claims["aud"].map { [$0, .string(OpenIDBehaviour.foreignClient)] }
        case .wrongNonce: claims["nonce"] = "another-nonce"
        case .missingNonce: claims["nonce"] = nil
        case .wrongAccessTokenHash: claims["at_hash"] = .string(OpenIDIDTokens.hash("another token", algorithm))
        case .missingSubject: claims["sub"] = nil
        case .overlongSubject: claims["sub"] = .string(String(repeating: "s", count: 256))
        case .missingIssuedAt: claims["iat"] = nil
        case .issuedInFuture:
            shift("iat", by: 86_400)
            shift("exp", by: 86_400)
        case .missingExpiry: claims["exp"] = nil
        case .expired:
            shift("exp", by: -7200)
            shift("iat", by: -7200)
        case .notYetValid: claims["nbf"] = claims["iat"]?.integerValue.map { .integer($0 + 86_400) }
        case .datesAsText:
            for name in ["exp", "iat"] { claims[name] = claims[name]?.integerValue.map { .string(String($0)) } }
        case .missingAuthenticationTime: claims["auth_time"] = nil
        case .staleAuthentication: shift("auth_time", by: -30 * 86_400)
        default: break
        }
    }

    private mutating func breakForm(
        _ misbehaviour: LocalOpenIDConnectServer.Misbehaviour, spare: () throws -> PublishedKey
    ) throws {
        switch misbehaviour {
        case .badSignature: signature = .damaged
        case .unsignedToken:
            header["alg"] = "none"
            signature = .none
        case .hmacWithPublicKey:
            header["alg"] = "HS256"
            signature = .hmacWithPublicKey
        case .unknownAlgorithm: header["alg"] = "XS256"
        case .criticalHeader:
            header["crit"] = ["urn:example:unknown"]
            header["urn:example:unknown"] = true
        case .missingKeyID: header["kid"] = nil
        case .numericKeyID: header["kid"] = 1
        case .unknownKeyID: header["kid"] = "unknown"
        case .embeddedKey:
            let attacker = try spare()
            header["jwk"] = .object(attacker.pair.publicMembers)
            signer = attacker.pair
        case .accessTokenAsIDToken: header["typ"] = "at+jwt"
        case .duplicateClaims: claimsPrefix = #""sub":"\#(OpenIDBehaviour.foreignSubject)","#
        case .duplicateHeaderMembers: headerPrefix = #""alg":"none","#
        case .oversizedIDToken: claims["padding"] = .string(String(repeating: "x", count: 2 << 20))
        default: break
        }
    }

    private mutating func breakRefresh(_ misbehaviour: LocalOpenIDConnectServer.Misbehaviour) {
        switch misbehaviour {
        case .refreshedIssuer: claims["iss"] = .string(OpenIDBehaviour.foreignIssuer)
        case .refreshedSubject: claims["sub"] = .string(OpenIDBehaviour.foreignSubject)
        case .refreshedAudience: claims["aud"] = .string(OpenIDBehaviour.foreignClient)
        case .refreshedAuthenticationTime: shift("auth_time", by: -600)
        default: break
        }
    }

    /// Shifts the date in a claim; no effect if the claim is not a number. A date with a fraction becomes a floating-point
    /// number.
    private mutating func shift(_ name: String, by seconds: Double) {
        guard let value = claims[name]?.numberValue else { return }
        let moved = value + seconds
        claims[name] = moved == moved.rounded() ? .integer(Int64(moved)) : .number(moved)
    }
}

extension OpenIDBehaviour {
    /// Returns the compact token `text`, which the behavior can nest, replace by a JWE, truncate or pad.
    func rewritten(_ text: String, _ draft: OpenIDTokenDraft) throws -> String {
        var text = text
        if has(.nestedToken) { text = try Self.nested(text, draft) }
        if has(.encryptedToken) { text = Self.encrypted(draft) }
        if has(.truncatedToken) { text = text.split(separator: ".").prefix(2).joined(separator: ".") }
        if has(.paddedBase64) { text = text.split(separator: ".").map(Self.padded).joined(separator: ".") }
        return text
    }

    private static func nested(_ text: String, _ draft: OpenIDTokenDraft) throws -> String {
        let header: JSONValue = .object(draft.header.merging(["cty": "JWT"]) { $1 })
        let input =
            TokenSigner.base64URL(LocalResponse.json(header).body) + "." + TokenSigner.base64URL(Data(text.utf8))
        let signature = try draft.key.pair.signature(
            over: Data(input.utf8), padding: draft.algorithm.padding, hash: draft.algorithm.hash)
        return input + "." + TokenSigner.base64URL(signature)
    }

    /// Returns a text in the compact serialization of a JWE (RFC 7516 section 7.1) that cannot be decrypted.
    private static func encrypted(_ draft: OpenIDTokenDraft) -> String {
        let header: JSONValue = ["alg": "RSA-OAEP-256", "enc": "A256GCM", "cty": "JWT", "kid": .string(draft.key.id)]
        let sizes = [256, 12, 600, 16]
        return
            ([TokenSigner.base64URL(LocalResponse.json(header).body)]
            + sizes.map { LocalIdentifiers.base64URL(byteCount: $0) }).joined(separator: ".")
    }

    private static func padded(_ part: Substring) -> String {
        let missing = (4 - part.count % 4) % 4
        // A segment that needs no padding gets four padding characters, so that every segment is malformed.
        return part + String(repeating: "=", count: missing == 0 ? 4 : missing)
    }
}
