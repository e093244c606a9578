import Foundation
import IdentityKit
import IdentityOAuth

/// A request to sign in with a passkey (WebAuthn section 5.5).
public struct PasskeyRequest: Sendable, Hashable {
    public let challenge: Data
    /// The domain to which the passkey must belong.
    public let relyingPartyID: String
    /// Identifiers of the accepted passkeys; empty for any of this relying party.
    public let allowedCredentials: [Data]
    /// The demand for user verification, for example by a fingerprint: `required`, `preferred` or `discouraged`.
    public let userVerification: String
    /// The time limit of the request; `nil` for the system's.
    public let timeout: Duration?

    /// Decodes the options from a server: a JSON object in a text.
    /// - Throws: ``IAMError`` with `serverError` if a required member is missing.
    init(_ json: String) throws {
        let options = try PasskeyOptions(json)
        challenge = try options.bytes(options.members["challenge"], "challenge")
        relyingPartyID = try options.text(options.members["rpId"], "rpId")
        allowedCredentials = try options.credentials("allowCredentials")
        userVerification = options.members["userVerification"]?.stringValue ?? "preferred"
        timeout = options.timeout
    }
}

/// A request for a new passkey (WebAuthn section 5.4).
public struct PasskeyCreation: Sendable, Hashable {
    public let challenge: Data
    /// The domain that the passkey is for.
    public let relyingPartyID: String
    /// The relying party's name.
    public let relyingPartyName: String?
    /// The person's identifier, which is stored in the passkey.
    public let userID: Data
    /// The person's user name.
    public let userName: String
    /// The name to show for the person.
    public let userDisplayName: String?
    /// The accepted algorithms as COSE numbers, best first.
    public let algorithms: [Int]
    /// Identifiers of the person's existing passkeys. An authenticator that has one of them creates no other, if the
    /// system supports this (`SystemPasskeyAuthenticator` cannot on visionOS).
    public let excludedCredentials: [Data]
    /// The demand for user verification: `required`, `preferred` or `discouraged`.
    public let userVerification: String
    /// The requested attestation: `none`, `indirect`, `direct` or `enterprise`.
    public let attestation: String
    /// The time limit of the request; `nil` for the system's.
    public let timeout: Duration?

    /// Decodes the options from a server: a JSON object in a text.
    /// - Throws: ``IAMError`` with `serverError` if a required member is missing.
    init(_ json: String) throws {
        let options = try PasskeyOptions(json)
        let (party, user) = (options.members["rp"], options.members["user"])
        challenge = try options.bytes(options.members["challenge"], "challenge")
        relyingPartyID = try options.text(party?["id"], "rp.id")
        relyingPartyName = party?["name"]?.stringValue
        userID = try options.bytes(user?["id"], "user.id")
        userName = try options.text(user?["name"], "user.name")
        userDisplayName = user?["displayName"]?.stringValue
        algorithms = (options.members["pubKeyCredParams"]?.arrayValue ?? []).compactMap {
            $0["alg"]?.integerValue.map { Int($0) }
        }
        excludedCredentials = try options.credentials("excludeCredentials")
        userVerification =
            options.members["authenticatorSelection"]?["userVerification"]?.stringValue ?? "preferred"
        attestation = options.members["attestation"]?.stringValue ?? "none"
        timeout = options.timeout
    }
}

/// The response of a passkey to a ``PasskeyRequest``.
public struct PasskeyAssertion: Sendable, Hashable {
    public let credentialID: Data
    /// The client data that was signed, as JSON.
    public let clientDataJSON: Data
    /// The authenticator's data about itself.
    public let authenticatorData: Data
    public let signature: Data
    /// The person's identifier, as stored in the passkey.
    public let userHandle: Data?

    public init(
        credentialID: Data, clientDataJSON: Data, authenticatorData: Data, signature: Data, userHandle: Data? = nil
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// The values of the step's inputs, in base64url without padding.
    public var inputs: [String: String] {
        var inputs = [
            "credentialId": Base64URL.encode(credentialID), "clientDataJSON": Base64URL.encode(clientDataJSON),
            "authenticatorData": Base64URL.encode(authenticatorData), "signature": Base64URL.encode(signature),
        ]
        inputs["userHandle"] = userHandle.map { Base64URL.encode($0) }
        return inputs
    }
}

/// A new passkey, in response to a ``PasskeyCreation``.
public struct PasskeyRegistration: Sendable, Hashable {
    public let credentialID: Data
    /// The client data that was signed, as JSON.
    public let clientDataJSON: Data
    /// The public key with its attestation.
    public let attestationObject: Data

    public init(credentialID: Data, clientDataJSON: Data, attestationObject: Data) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
    }

    /// The values of the step's inputs, in base64url without padding.
    public var inputs: [String: String] {
        [
            "credentialId": Base64URL.encode(credentialID), "clientDataJSON": Base64URL.encode(clientDataJSON),
            "attestationObject": Base64URL.encode(attestationObject),
        ]
    }
}

extension EmbeddedFlowResponse {
    /// The request for a passkey in the step; `nil` if there is none.
    /// - Throws: ``IAMError`` if the request is unreadable.
    public var passkeyRequest: PasskeyRequest? {
        get throws { try data?.additional("passkeyChallenge").map(PasskeyRequest.init) }
    }

    /// The request to create a passkey in the step; `nil` if there is none.
    /// - Throws: ``IAMError`` if the request is unreadable.
    public var passkeyCreation: PasskeyCreation? {
        get throws { try data?.additional("passkeyCreationOptions").map(PasskeyCreation.init) }
    }

    /// The payload for this step with the response of a passkey.
    public func payload(for assertion: PasskeyAssertion) -> EmbeddedSignInPayload {
        EmbeddedSignInPayload(flowId: flowId, actionId: actions.first?.id, inputs: assertion.inputs)
    }

    /// The payload for this step with a new passkey.
    public func payload(for registration: PasskeyRegistration) -> EmbeddedSignInPayload {
        EmbeddedSignInPayload(flowId: flowId, actionId: actions.first?.id, inputs: registration.inputs)
    }
}

/// The members that both kinds of options share. None of them has a default, because a guess could change what is
/// signed, or for whom.
private struct PasskeyOptions {
    let members: [String: JSONValue]

    init(_ json: String) throws {
        guard let members = (try? JSONValue(parsing: Data(json.utf8)))?.objectValue else {
            throw Self.unusable("the options are no JSON object")
        }
        self.members = members
    }

    var timeout: Duration? { members["timeout"]?.numberValue.flatMap { Duration(outsideSeconds: $0 / 1000) } }

    func text(_ value: JSONValue?, _ name: String) throws -> String {
        guard let text = value?.stringValue, !text.isEmpty else { throw Self.unusable("\(name) is missing") }
        return text
    }

    func bytes(_ value: JSONValue?, _ name: String) throws -> Data {
        guard let data = Base64URL.decode(try text(value, name)), !data.isEmpty else {
            throw Self.unusable("\(name) is not base64url")
        }
        return data
    }

    func credentials(_ name: String) throws -> [Data] {
        try (members[name]?.arrayValue ?? []).map { try bytes($0["id"], "\(name).id") }
    }

    private static func unusable(_ detail: String) -> IAMError {
        IAMError(
            .serverError, "The server's question for a passkey cannot be used: \(detail).", failureClass: .definitive)
    }
}

extension PasskeyRequest: CustomReflectable {
    /// Shows only the relying party.
    public var customMirror: Mirror {
        Mirror(self, showing: ["relyingPartyID": relyingPartyID, "userVerification": userVerification])
    }
}

extension PasskeyCreation: CustomReflectable {
    /// Shows only the relying party.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "relyingPartyID": relyingPartyID,
                "userName": userName,
                "userVerification": userVerification,
                "attestation": attestation,
            ])
    }
}

extension PasskeyAssertion: CustomReflectable {
    /// Shows no response of a passkey.
    public var customMirror: Mirror { Mirror(self, showing: ["credentialID": "\(credentialID.count) bytes"]) }
}

extension PasskeyRegistration: CustomReflectable {
    /// Shows nothing that was signed.
    public var customMirror: Mirror { Mirror(self, showing: ["credentialID": "\(credentialID.count) bytes"]) }
}
