#if canImport(CryptoKit) && !os(visionOS)
import CryptoKit
import Foundation
import IdentityKit

/// A P-256 key that the Secure Enclave made. The enclave makes the signatures, and the private number never leaves it.
///
/// The type does not exist on visionOS, where CryptoKit has no initializer of such keys without an authentication context.
struct EnclaveKey: Sendable {
    private let key: SecureEnclave.P256.Signing.PrivateKey

    /// Makes a key with CryptoKit's default access control. The key is usable from the first unlock after a start of the
    /// device, and stays usable while the device is locked again. Stored sessions are readable at the same times.
    /// - Throws: ``CryptographyError`` on a device without an enclave, or what CryptoKit throws.
    init() throws {
        guard SecureEnclave.isAvailable else { throw CryptographyError("there is no Secure Enclave") }
        key = try SecureEnclave.P256.Signing.PrivateKey()
    }

    /// Restores a key from its ``representation``.
    /// - Throws: what CryptoKit throws, such as for a key of another device.
    init(representation: Data) throws {
        key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: representation)
    }

    /// The key in encrypted form, which only this device's enclave can read.
    var representation: Data { key.dataRepresentation }

    /// The public point: the `x` coordinate followed by the `y` coordinate, each of 32 bytes.
    var point: Data { key.publicKey.rawRepresentation }

    /// Signs `message` with ES256. The signature has the form of RFC 7518 section 3.4: `R` followed by `S`.
    /// - Throws: what CryptoKit throws.
    func signature(over message: Data) throws -> Data { try key.signature(for: message).rawRepresentation }
}
#endif
