import IdentityKit

extension LocalOpenIDConnectServer.SigningAlgorithm {
    /// The curve of the algorithm's keys; `nil` for RSA.
    var curve: SigningCurve? {
        switch self {
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        case .edDSA: .ed25519
        default: nil
        }
    }

    /// The padding of RSA signatures; ignored for the other algorithms.
    var padding: RSAPadding { rawValue.hasPrefix("PS") ? .pss : .pkcs1 }

    /// The hash function of the algorithm. `at_hash` uses the same function (OpenID Connect Core section 3.1.3.6).
    var hash: HashAlgorithm {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }
}
