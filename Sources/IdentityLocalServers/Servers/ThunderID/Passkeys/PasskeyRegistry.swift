import Foundation
import IdentityKit

/// The registered passkeys. Only ES256 is supported, and attestation is not checked (Web Authentication sections 7.1 and
/// 7.2).
final class PasskeyRegistry: Sendable {
    struct Passkey: Sendable {
        /// The credential identifier, in base64url.
        let id: String
        let userID: String
        let publicKey: CurvePublicKey
        var signatureCount: UInt32
    }

    let settings: LocalThunderIDServer.Passkeys
    private let passkeys: Locked<[String: Passkey]>

    /// A passkey in the saved state of the server, with its public key as a point on P-256.
    struct Record: Codable, Sendable {
        let id: String
        let userID: String
        let publicKey: Data
        let signatureCount: UInt32
    }

    /// - Parameter saved: the passkeys that an earlier run of the server saved; `nil` for none.
    init(_ settings: LocalThunderIDServer.Passkeys, restoring saved: [Record]? = nil) throws {
        self.settings = settings
        let known = try (saved ?? []).map { record in
            Passkey(
                id: record.id, userID: record.userID, publicKey: try CurvePublicKey(.p256, point: record.publicKey),
                signatureCount: record.signatureCount)
        }
        passkeys = Locked(Dictionary(known.map { ($0.id, $0) }) { _, last in last })
    }

    var saved: [Record] {
        passkeys.withLock { Array($0.values) }.sorted { $0.id < $1.id }
            .map {
                Record(id: $0.id, userID: $0.userID, publicKey: $0.publicKey.point, signatureCount: $0.signatureCount)
            }
    }

    func ids(ofUser userID: String) -> [String] {
        passkeys.withLock { $0.values.filter { $0.userID == userID }.map(\.id).sorted() }
    }

    /// Stores a new passkey. Returns `false` if the passkey exists already, or if an input is malformed or fails a check,
    /// such as that of the challenge or the origin.
    func register(_ inputs: [String: String], challenge: String, userID: String) -> Bool {
        guard let id = inputs["credentialId"], isGenuine(inputs, type: "webauthn.create", challenge: challenge),
            let object = Base64URLText.decode(inputs["attestationObject"] ?? "").flatMap(CBORValue.init(decoding:)),
            case .bytes(let bytes)? = object["authData"], let data = AuthenticatorData(bytes),
            isForUs(data), let credential = data.credential, TokenSigner.base64URL(credential.id) == id
        else { return false }
        return passkeys.withLock { passkeys in
            guard passkeys[id] == nil else { return false }
            passkeys[id] = Passkey(
                id: id, userID: userID, publicKey: credential.publicKey, signatureCount: data.signatureCount)
            return true
        }
    }

    /// Verifies the signature of a passkey over `challenge`, and stores the new signature count.
    /// - Returns: the identifier of the passkey's user; `nil` if any check fails.
    /// - Parameter userID: the user that the passkey must belong to; `nil` for any user. With `nil`, the inputs must
    ///   contain the user handle.
    func verify(_ inputs: [String: String], challenge: String, userID: String?) -> String? {
        guard let id = inputs["credentialId"], let passkey = passkeys.withLock({ $0[id] }),
            passkey.userID == userID ?? passkey.userID,
            hasHandle(inputs["userHandle"], of: passkey, isNeeded: userID == nil),
            isGenuine(inputs, type: "webauthn.get", challenge: challenge),
            let bytes = Base64URLText.decode(inputs["authenticatorData"] ?? ""), let data = AuthenticatorData(bytes),
            isForUs(data), let clientData = Base64URLText.decode(inputs["clientDataJSON"] ?? ""),
            let signature = Base64URLText.decode(inputs["signature"] ?? "").flatMap(ECDSASignature.raw(fromDER:)),
            passkey.publicKey.accepts(signature, over: bytes + sha256(clientData)),
            // Authenticators without a counter always send zero.
            data.signatureCount > passkey.signatureCount || (data.signatureCount == 0 && passkey.signatureCount == 0)
        else { return nil }
        passkeys.withLock { $0[id]?.signatureCount = data.signatureCount }
        return passkey.userID
    }

    private func isGenuine(_ inputs: [String: String], type: String, challenge: String) -> Bool {
        guard let data = Base64URLText.decode(inputs["clientDataJSON"] ?? ""),
            let clientData = try? JSONValue(parsing: data)
        else { return false }
        return clientData["type"]?.stringValue == type && clientData["challenge"]?.stringValue == challenge
            && settings.allowedOrigins.contains(clientData["origin"]?.stringValue ?? "")
    }

    private func isForUs(_ data: AuthenticatorData) -> Bool {
        data.relyingPartyHash == sha256(Data(settings.relyingPartyID.utf8)) && data.isUserPresent
            && (settings.userVerification != "required" || data.isUserVerified)
    }

    /// Whether the user handle is the identifier of the passkey's user. An absent or empty handle passes unless `isNeeded`.
    private func hasHandle(_ sent: String?, of passkey: Passkey, isNeeded: Bool) -> Bool {
        guard let sent, !sent.isEmpty else { return !isNeeded }
        return Base64URLText.decode(sent) == Data(passkey.userID.utf8)
    }
}
