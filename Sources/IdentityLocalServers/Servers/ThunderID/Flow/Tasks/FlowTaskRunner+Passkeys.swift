import Foundation
import IdentityKit

/// Tasks for passkeys. The WebAuthn options are sent as a JSON text, without a surrounding `publicKey` member.
extension FlowTaskRunner {
    static let passkeyAssertion: [FlowInput] =
        ["credentialId", "clientDataJSON", "authenticatorData", "signature"].map { .machine($0) }
        + [.machine("userHandle", isRequired: false)]
    static let passkeyCreation: [FlowInput] =
        ["credentialId", "clientDataJSON", "attestationObject"].map { .machine($0) }

    /// Makes a challenge for the passkeys of the identified user, or for any passkey if no user was identified. Fails for a
    /// user without passkeys (`FET-1016`).
    func challengePasskey(_ execution: inout FlowExecution) -> Outcome {
        let challenge = LocalIdentifiers.base64URL(byteCount: 32)
        execution.passkeyChallenge = challenge
        var options: [String: JSONValue] = [
            "challenge": .string(challenge), "rpId": .string(passkeys.settings.relyingPartyID),
            "timeout": .integer(passkeys.settings.timeout),
            "userVerification": .string(passkeys.settings.userVerification),
        ]
        if let userID = execution.userID {
            let ids = passkeys.ids(ofUser: userID)
            guard !ids.isEmpty else { return .failure(.noPasskeys) }
            options["allowCredentials"] = Self.descriptors(ids)
        }
        execution.additionalData["passkeyChallenge"] = Self.text(options)
        return .success
    }

    func verifyPasskey(_ execution: inout FlowExecution) -> Outcome {
        guard let challenge = execution.passkeyChallenge,
            let userID = passkeys.verify(execution.inputs, challenge: challenge, userID: execution.userID),
            users.user(id: userID)?.isActive == true
        else { return .needs(Self.passkeyAssertion, .invalidPasskey) }
        execution.passkeyChallenge = nil
        execution.userID = userID
        forget(Self.passkeyAssertion, &execution)
        note("Passkey", &execution)
        return .success
    }

    /// Makes a challenge to register a new passkey of the signed-in user.
    func offerPasskey(_ execution: inout FlowExecution) -> Outcome {
        guard let user = execution.userID.flatMap(users.user(id:)) else { return .failure(.userNotAuthenticated) }
        let challenge = LocalIdentifiers.base64URL(byteCount: 32)
        execution.passkeyChallenge = challenge
        execution.additionalData["passkeyCreationOptions"] = Self.text([
            "challenge": .string(challenge),
            "rp": [
                "id": .string(passkeys.settings.relyingPartyID), "name": .string(passkeys.settings.relyingPartyName),
            ],
            "user": [
                "id": .string(TokenSigner.base64URL(Data(user.id.utf8))), "name": .string(user.username),
                "displayName": .string(user.username),
            ],
            "pubKeyCredParams": [["type": "public-key", "alg": -7]],
            "authenticatorSelection": [
                "residentKey": "preferred", "userVerification": .string(passkeys.settings.userVerification),
            ],
            "timeout": .integer(passkeys.settings.timeout),
            "excludeCredentials": Self.descriptors(passkeys.ids(ofUser: user.id)),
            "attestation": "none",
        ])
        return .success
    }

    func registerPasskey(_ execution: inout FlowExecution) -> Outcome {
        guard let challenge = execution.passkeyChallenge, let userID = execution.userID,
            passkeys.register(execution.inputs, challenge: challenge, userID: userID)
        else { return .needs(Self.passkeyCreation, .passkeyRegistrationFailed) }
        execution.passkeyChallenge = nil
        forget(Self.passkeyCreation, &execution)
        return .success
    }

    private func forget(_ inputs: [FlowInput], _ execution: inout FlowExecution) {
        for input in inputs { execution.inputs[input.identifier] = nil }
    }

    private static func descriptors(_ ids: [String]) -> JSONValue {
        .array(ids.map { ["type": "public-key", "id": .string($0), "transports": ["internal"]] })
    }

    private static func text(_ options: [String: JSONValue]) -> String {
        String(decoding: LocalResponse.json(.object(options)).body, as: UTF8.self)
    }
}
