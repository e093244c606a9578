#if canImport(CryptoKit) && !os(visionOS)
import CryptoKit
import Foundation
import IdentityKit

/// A key on P-256 that the Secure Enclave made. It signs there, and the private number never leaves it.
///
/// CryptoKit offers these keys without an authentication context on every system but visionOS.
struct EnclaveKey: Sendable {
    private let key: SecureEnclave.P256.Signing.PrivateKey

    /// Makes a key that is usable from the first unlock after a start of the device, also while the device is locked
    /// again, like the stored sessions.
    /// - Throws: what the system throws, as on a device without an enclave.
    init() throws {
        guard SecureEnclave.isAvailable else { throw CryptographyError("there is no Secure Enclave") }
        key = try SecureEnclave.P256.Signing.PrivateKey()
    }

    /// Restores a key of this device.
    /// - Throws: what the system throws, as for a key of another device.
    init(representation: Data) throws {
        key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: representation)
    }

    /// The key in encrypted form, which only this device's enclave can read.
    var representation: Data { key.dataRepresentation }

    /// The public point, its two coordinates without a prefix.
    var point: Data { key.publicKey.rawRepresentation }

    /// The signature over `message` as JOSE writes it (RFC 7518 section 3.4).
    /// - Throws: what the system throws.
    func signature(over message: Data) throws -> Data { try key.signature(for: message).rawRepresentation }
}
#endif
