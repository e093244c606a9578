import Foundation
import IdentityKit

/// The signing keys of a server. The server's behavior can change which keys sign and which are published.
final class OpenIDKeyRing: Sendable {
    let algorithm: LocalOpenIDConnectServer.SigningAlgorithm
    let ring: KeyRing
    private let spareKey = Locked<PublishedKey?>(nil)

    /// - Parameter saved: the keys of an earlier run of the server; `nil` for none. Keys for another algorithm are ignored.
    init(_ algorithm: LocalOpenIDConnectServer.SigningAlgorithm, restoring saved: KeyRing.Saved? = nil) throws {
        self.algorithm = algorithm
        ring = try KeyRing(algorithm.rawValue, on: algorithm.curve, restoring: saved, publish: Self.named)
    }

    @Sendable private static func named(_ pair: KeyPair) -> PublishedKey {
        PublishedKey(id: LocalIdentifiers.hex(byteCount: 8), pair: pair)
    }

    func signingKey(_ behaviour: OpenIDBehaviour) throws -> PublishedKey {
        if behaviour.has(.rotatesBeforeSigning) { try ring.rotate() }
        return try ring.newest()
    }

    /// Returns a key that is not in ``ring``. Every call returns the same key. Misbehaviours and variations publish this key or
    /// sign with it.
    func spare() throws -> PublishedKey {
        try spareKey.withLock { spare in
            if let spare { return spare }
            let key = Self.named(try .second(algorithm.curve))
            spare = key
            return key
        }
    }

    func didSign(_ message: SignedMessage) -> Bool {
        ring.keys.contains { key in
            PublicJWK(.object(key.pair.publicMembers)).map(message.isSigned) ?? false
        }
    }

    /// Returns the published JWK set (RFC 7517 section 5), with the misbehaviours and variations of `behaviour`.
    func keySet(_ behaviour: OpenIDBehaviour, of issuer: String) throws -> JSONValue {
        if behaviour.has(.emptyKeySet) { return ["keys": []] }
        var published = ring.keys
        if behaviour.has(.withdrawnKey) { published = [try spare()] }
        if behaviour.has(.missingKeyID) || behaviour.has(.severalKeysOfOneType) { published.append(try spare()) }
        var entries = published.map { JSONValue.object(entry($0, behaviour, of: issuer)) }
        if behaviour.has(.repeatedKeys) { entries += entries }
        if behaviour.has(.encryptionKeys) { entries.insert(try encryptionKey(), at: 0) }
        if behaviour.has(.unknownKeys) { entries = Self.unknownKeys + entries }
        return ["keys": .array(entries)]
    }

    private func entry(_ key: PublishedKey, _ behaviour: OpenIDBehaviour, of issuer: String) -> [String: JSONValue] {
        var members = key.pair.publicMembers
        if behaviour.has(.tenantIssuers) { members["issuer"] = .string(issuer) }
        if behaviour.has(.keyOfAnotherTenant) {
            members["issuer"] = .string(issuer.replacingOccurrences(of: "{tenantid}", with: "another-tenant"))
        }
        if !behaviour.has(.noKeyID) { members["kid"] = .string(key.id) }
        if !behaviour.has(.keysWithoutAlgorithm) { members["alg"] = .string(name(behaviour)) }
        if !behaviour.has(.keysWithoutUse) { members["use"] = behaviour.has(.keysWithNullUse) ? .null : "sig" }
        if behaviour.has(.paddedKeys) {
            for name in ["n", "e", "x", "y"] { members[name] = members[name]?.stringValue.map { .string($0 + "==") } }
        }
        return members
    }

    /// Returns the `alg` in the headers of tokens and in published keys.
    func name(_ behaviour: OpenIDBehaviour) -> String {
        algorithm == .edDSA && behaviour.has(.algorithmNamedEd25519) ? "Ed25519" : algorithm.rawValue
    }

    /// Returns an encryption key of the same type as the signing key. A client that looks only at `kty` confuses the two.
    private func encryptionKey() throws -> JSONValue {
        let key = try spare()
        let algorithm: JSONValue = self.algorithm.curve == nil ? "RSA-OAEP-256" : "ECDH-ES"
        return .object(
            key.pair.publicMembers.merging(["kid": .string(key.id), "use": "enc", "alg": algorithm]) { $1 })
    }

    /// Entries that clients must ignore: a key of an unknown type, an RSA key without modulus and exponent, and an entry
    /// without `kty`.
    private static let unknownKeys: [JSONValue] = [
        ["kty": "AKP", "kid": "quantum", "use": "sig", "alg": "ML-DSA-44", "pub": "AAAA"],
        ["kty": "RSA", "kid": "hollow", "use": "sig"],
        ["kid": "typeless"],
    ]
}
