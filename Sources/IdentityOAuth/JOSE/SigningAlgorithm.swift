import IdentityKit

/// The signature algorithm of a token: the `alg` of its header (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864).
public struct SigningAlgorithm: OpenEnum {
    /// The name as it is on the wire. A name that this version does not know is kept too.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let rs256: SigningAlgorithm = "RS256"
    public static let rs384: SigningAlgorithm = "RS384"
    public static let rs512: SigningAlgorithm = "RS512"
    public static let ps256: SigningAlgorithm = "PS256"
    public static let ps384: SigningAlgorithm = "PS384"
    public static let ps512: SigningAlgorithm = "PS512"
    /// ECDSA on P-256 with SHA-256.
    public static let es256: SigningAlgorithm = "ES256"
    /// ECDSA on P-384 with SHA-384.
    public static let es384: SigningAlgorithm = "ES384"
    /// ECDSA on P-521 with SHA-512. The 512 in the name is that of the hash, not of the curve.
    public static let es512: SigningAlgorithm = "ES512"
    /// EdDSA, a name that leaves the curve to the key (RFC 8037 section 3.1). This library supports only Ed25519.
    public static let edDSA: SigningAlgorithm = "EdDSA"
    /// EdDSA on the curve Ed25519, a name that includes the curve (RFC 9864).
    public static let ed25519: SigningAlgorithm = "Ed25519"

    /// HMAC with SHA-256, for `client_secret_jwt`: a client signs with its secret. Received tokens must not use it.
    public static let hs256: SigningAlgorithm = "HS256"

    /// Every algorithm that this library verifies. `none` and the HMACs are not among them. An HMAC could be made by everyone
    /// who has the secret, and by an attacker who uses a published key as the secret.
    public static let verifiable: Set<SigningAlgorithm> = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .es384, .es512, .edDSA, .ed25519,
    ]

    /// The signature scheme; `nil` for an algorithm this library does not verify.
    var scheme: SignatureScheme? {
        switch self {
        case .rs256: .rsa(.pkcs1, .sha256)
        case .rs384: .rsa(.pkcs1, .sha384)
        case .rs512: .rsa(.pkcs1, .sha512)
        case .ps256: .rsa(.pss, .sha256)
        case .ps384: .rsa(.pss, .sha384)
        case .ps512: .rsa(.pss, .sha512)
        case .es256: .curve(.p256)
        case .es384: .curve(.p384)
        case .es512: .curve(.p521)
        case .edDSA, .ed25519: .curve(.ed25519)
        default: nil
        }
    }

    /// Whether a key whose `alg` is `self` may verify a token whose `alg` is `other`: `EdDSA` and `Ed25519` mean the same here.
    func isSameAlgorithm(as other: SigningAlgorithm) -> Bool {
        self == other || scheme == .curve(.ed25519) && other.scheme == .curve(.ed25519)
    }
}

enum SignatureScheme: Hashable {
    case rsa(RSAPadding, HashAlgorithm)
    case curve(SigningCurve)

    /// The hashes accepted for `at_hash` (OpenID Connect Core section 3.1.3.6). The section names no hash for Ed25519. Most
    /// servers use SHA-512, as Ed25519 itself does, but SHA-256 and SHA-384 are accepted too.
    var hashes: [HashAlgorithm] {
        switch self {
        case .rsa(_, let hash): [hash]
        case .curve(.p256): [.sha256]
        case .curve(.p384): [.sha384]
        case .curve(.p521): [.sha512]
        case .curve(.ed25519): HashAlgorithm.allCases
        }
    }
}
