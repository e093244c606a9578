import Foundation
import IdentityKit

/// The signing keys of a server, newest first. The newest key signs; the earlier keys only verify earlier signatures.
final class KeyRing: Sendable {
    struct Saved: Codable, Sendable {
        fileprivate let algorithm: String
        fileprivate let keys: [SavedKey.Published]
    }

    private let algorithm: String
    private let curve: SigningCurve?
    private let publish: @Sendable (KeyPair) throws -> PublishedKey
    private let current: Locked<[PublishedKey]>

    /// - Parameters:
    ///   - algorithm: the `alg` of the signatures.
    ///   - curve: the curve of the keys; `nil` for RSA.
    ///   - saved: the keys of an earlier run of the server; `nil` for none. Keys for another algorithm are ignored.
    ///   - publish: gives a key its identifier and, for some servers, a certificate.
    init(
        _ algorithm: String, on curve: SigningCurve?, restoring saved: Saved?,
        publish: @escaping @Sendable (KeyPair) throws -> PublishedKey
    ) throws {
        (self.algorithm, self.curve, self.publish) = (algorithm, curve, publish)
        let known = saved?.algorithm == algorithm ? try saved?.keys.map { try $0.published } ?? [] : []
        current = Locked(known.isEmpty ? [try publish(.first(curve))] : known)
    }

    var keys: [PublishedKey] { current.withLock { $0 } }

    var saved: Saved { get throws { Saved(algorithm: algorithm, keys: try keys.map { try .init($0) }) } }

    func newest() throws -> PublishedKey {
        guard let key = keys.first else { throw CryptographyError("the server has no key") }
        return key
    }

    /// Generates a new key, which signs from now on.
    /// - Parameters:
    ///   - withdrawing: whether to remove the earlier keys.
    ///   - keepingIdentifier: whether the new key gets the identifier of the newest earlier key, as if the server had lost
    ///     the earlier key and used its identifier again.
    func rotate(withdrawing: Bool = false, keepingIdentifier: Bool = false) throws {
        var key = try publish(.fresh(curve))
        current.withLock { keys in
            if keepingIdentifier, let last = keys.first { key.id = last.id }
            keys = [key] + (withdrawing ? [] : keys)
        }
    }
}
