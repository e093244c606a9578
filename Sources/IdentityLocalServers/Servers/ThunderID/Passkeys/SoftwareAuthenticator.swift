import Foundation
import IdentityKit

/// An authenticator in software, for tests. The authenticator creates passkeys on P-256 and signs with them (Web
/// Authentication).
///
/// The methods take the passkey options of a ThunderID flow, as JSON in a string. They return inputs of the flow.
public final class SoftwareAuthenticator: Sendable {
    private struct Passkey: Sendable {
        let id: Data
        let relyingPartyID: String
        let userHandle: Data
        let key: CurvePrivateKey
        var signatureCount: UInt32 = 0
    }

    private let origin: String
    private let passkeys = Locked<[Passkey]>([])

    /// - Parameter origin: the origin in `clientDataJSON`; for an app `https://` followed by the relying party's identifier.
    public init(origin: String = "https://example.com") { self.origin = origin }

    /// Creates a passkey for the relying party and the user that the options name.
    /// - Parameter options: the flow's `additionalData.passkeyCreationOptions`.
    /// - Returns: `credentialId`, `clientDataJSON` and `attestationObject`, in base64url.
    /// - Throws: ``SoftwareAuthenticatorError`` if the options are unreadable, exclude a passkey of this authenticator, or
    ///   do not allow ES256.
    public func create(_ options: String) throws -> [String: String] {
        let options = try Self.parse(options)
        guard let challenge = options["challenge"]?.stringValue, let party = options["rp"]?["id"]?.stringValue,
            let user = options["user"]?["id"]?.stringValue.flatMap({ Base64URLText.decode($0) })
        else { throw SoftwareAuthenticatorError.unreadableOptions }
        guard options["pubKeyCredParams"]?.arrayValue?.contains(where: { $0["alg"] == -7 }) == true else {
            throw SoftwareAuthenticatorError.noCommonAlgorithm
        }
        let excluded = Self.ids(options["excludeCredentials"])
        guard !passkeys.withLock({ $0.contains { excluded.contains(TokenSigner.base64URL($0.id)) } }) else {
            throw SoftwareAuthenticatorError.alreadyRegistered
        }
        let passkey = Passkey(
            id: Data(LocalIdentifiers.hex(byteCount: 16).utf8), relyingPartyID: party, userHandle: user,
            key: CurvePrivateKey(.p256))
        passkeys.withLock { $0.append(passkey) }
        let object = CBORValue.map([
            .text("fmt"): .text("none"), .text("attStmt"): .map([:]),
            .text("authData"): .bytes(data(of: passkey, isNew: true)),
        ])
        return [
            "credentialId": TokenSigner.base64URL(passkey.id),
            "clientDataJSON": TokenSigner.base64URL(clientData("webauthn.create", challenge)),
            "attestationObject": TokenSigner.base64URL(object.encoded),
        ]
    }

    /// Signs the challenge with the newest passkey that the options allow, and increments the passkey's signature count.
    /// - Parameter options: the flow's `additionalData.passkeyChallenge`.
    /// - Returns: `credentialId`, `clientDataJSON`, `authenticatorData`, `signature` and `userHandle`, in base64url.
    /// - Throws: ``SoftwareAuthenticatorError`` if the options are unreadable or allow no passkey of this authenticator, or
    ///   an error of the cryptography library.
    public func sign(_ options: String) throws -> [String: String] {
        let options = try Self.parse(options)
        guard let challenge = options["challenge"]?.stringValue, let party = options["rpId"]?.stringValue else {
            throw SoftwareAuthenticatorError.unreadableOptions
        }
        let allowed = Self.ids(options["allowCredentials"])
        let passkey = passkeys.withLock { passkeys -> Passkey? in
            let index = passkeys.lastIndex { passkey in
                passkey.relyingPartyID == party
                    && (allowed.isEmpty || allowed.contains(TokenSigner.base64URL(passkey.id)))
            }
            guard let index else { return nil }
            passkeys[index].signatureCount += 1
            return passkeys[index]
        }
        guard let passkey else { throw SoftwareAuthenticatorError.noPasskey }
        let authenticatorData = data(of: passkey, isNew: false)
        let clientData = clientData("webauthn.get", challenge)
        let signature = try passkey.key.signature(over: authenticatorData + sha256(clientData))
        return [
            "credentialId": TokenSigner.base64URL(passkey.id),
            "clientDataJSON": TokenSigner.base64URL(clientData),
            "authenticatorData": TokenSigner.base64URL(authenticatorData),
            "signature": TokenSigner.base64URL(ECDSASignature.der(fromRaw: signature)),
            "userHandle": TokenSigner.base64URL(passkey.userHandle),
        ]
    }

    private func clientData(_ type: String, _ challenge: String) -> Data {
        LocalResponse.json([
            "type": .string(type), "challenge": .string(challenge), "origin": .string(origin), "crossOrigin": false,
        ]).body
    }

    private func data(of passkey: Passkey, isNew: Bool) -> Data {
        typealias Flag = AuthenticatorData.Flag
        let flags = Flag.userPresent | Flag.userVerified | (isNew ? Flag.hasCredential : 0)
        var data = sha256(Data(passkey.relyingPartyID.utf8)) + [flags]
        data += (0..<4).map { UInt8(passkey.signatureCount >> (24 - 8 * $0) & 0xFF) }
        guard isNew else { return data }
        let point = passkey.key.publicKey.point
        let key = CBORValue.map([
            .integer(1): .integer(2), .integer(3): .integer(-7), .integer(-1): .integer(1),
            .integer(-2): .bytes(Data(point.prefix(32))), .integer(-3): .bytes(Data(point.suffix(32))),
        ])
        let length = UInt8(passkey.id.count)
        return data + Data(repeating: 0, count: 16) + [0, length] + passkey.id + key.encoded
    }

    private static func parse(_ options: String) throws -> JSONValue {
        guard let value = try? JSONValue(parsing: Data(options.utf8)) else {
            throw SoftwareAuthenticatorError.unreadableOptions
        }
        return value
    }

    private static func ids(_ credentials: JSONValue?) -> [String] {
        (credentials?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }
}

/// The reason why a ``SoftwareAuthenticator`` failed.
public enum SoftwareAuthenticatorError: String, IdentityFailure {
    /// The options are not JSON, or lack the challenge, the relying party or, for a new passkey, the user.
    case unreadableOptions = "passkey_options_unreadable"
    /// None of the requested algorithms is ES256.
    case noCommonAlgorithm = "passkey_algorithm_unsupported"
    /// The authenticator already has a passkey that the options exclude.
    case alreadyRegistered = "passkey_already_registered"
    /// The authenticator has no passkey of the relying party that the options allow.
    case noPasskey = "passkey_missing"

    public var failureCode: String { rawValue }

    public var failureClass: FailureClass { .definitive }

    public var message: String {
        switch self {
        case .unreadableOptions: "The passkey options are incomplete. Hand over what the server sent."
        case .noCommonAlgorithm: "The server does not accept ES256 passkeys. Add ES256 to its algorithms."
        case .alreadyRegistered: "There is a passkey of this user already. Sign in with it."
        case .noPasskey: "There is no passkey for this. Create one first."
        }
    }
}
