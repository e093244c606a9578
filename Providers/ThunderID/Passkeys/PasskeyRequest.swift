import Foundation
import IdentityKit
import IdentityOAuth

/// A request to sign in with a passkey (WebAuthn section 5.5).
public struct PasskeyRequest: Sendable, Hashable {
    public let challenge: Data
    /// The domain to which the passkey must belong.
    public let relyingPartyID: String
    /// Identifiers of the accepted passkeys; empty to accept every passkey of the relying party.
    public let allowedCredentials: [Data]
    /// Whether the authenticator verifies the person, for example by a fingerprint: `required`, `preferred` (the default)
    /// or `discouraged`.
    public let userVerification: String
    /// The time limit that the server suggests; `nil` without a valid one. `SystemPasskeyAuthenticator` does not apply it.
    public let timeout: Duration?

    /// Decodes the server's options, a JSON object.
    /// - Throws: ``IAMError`` with `serverError` if `json` is not an object, a required member is missing, or a challenge
    ///   or identifier is not in base64url.
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
    /// The domain at which the passkey can sign in.
    public let relyingPartyID: String
    /// The relying party's name, to show to the person; `nil` if the server sends none.
    public let relyingPartyName: String?
    /// The person's identifier, which is stored in the passkey and returned as ``PasskeyAssertion/userHandle``.
    public let userID: Data
    /// The person's user name, under which the system lists the passkey.
    public let userName: String
    /// The person's display name, such as the full name; `nil` if the server sends none.
    public let userDisplayName: String?
    /// The signature algorithms that the server accepts, as COSE identifiers in order of preference.
    public let algorithms: [Int]
    /// Identifiers of the person's existing passkeys. An authenticator that has one of these passkeys does not create
    /// another one. `SystemPasskeyAuthenticator` ignores the list on visionOS, before iOS 17.4 and before macOS 13.5.
    public let excludedCredentials: [Data]
    /// Whether the authenticator verifies the person: `required`, `preferred` (the default) or `discouraged`.
    public let userVerification: String
    /// The requested attestation: `none` (the default), `indirect`, `direct` or `enterprise`.
    public let attestation: String
    /// The time limit that the server suggests; `nil` without a valid one. `SystemPasskeyAuthenticator` does not apply it.
    public let timeout: Duration?

    /// Decodes the server's options, a JSON object.
    /// - Throws: ``IAMError`` with `serverError` if `json` is not an object, a required member is missing, or a challenge
    ///   or identifier is not in base64url.
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
    /// The client data, such as challenge and origin, as JSON (WebAuthn section 5.8.1). Its hash is signed.
    public let clientDataJSON: Data
    /// The hash of the relying party's identifier, the flags, and the signature counter (WebAuthn section 6.1).
    public let authenticatorData: Data
    public let signature: Data
    /// The person's identifier, as stored in the passkey; `nil` if the authenticator returns none.
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

    /// The assertion as values of the step's inputs, in base64url without padding. Without a user handle, there is no
    /// `userHandle`.
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
    /// The client data, such as challenge and origin, as JSON (WebAuthn section 5.8.1).
    public let clientDataJSON: Data
    /// The passkey's public key with its attestation, encoded as CBOR (WebAuthn section 6.5).
    public let attestationObject: Data

    public init(credentialID: Data, clientDataJSON: Data, attestationObject: Data) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
    }

    /// The registration as values of the step's inputs, in base64url without padding.
    public var inputs: [String: String] {
        [
            "credentialId": Base64URL.encode(credentialID), "clientDataJSON": Base64URL.encode(clientDataJSON),
            "attestationObject": Base64URL.encode(attestationObject),
        ]
    }
}

extension EmbeddedFlowResponse {
    /// The step's request to sign in with a passkey; `nil` if the step has none.
    /// - Throws: ``IAMError`` with `serverError` if the request is unreadable.
    public var passkeyRequest: PasskeyRequest? {
        get throws { try data?.additional("passkeyChallenge").map(PasskeyRequest.init) }
    }

    /// The step's request to create a passkey; `nil` if the step has none.
    /// - Throws: ``IAMError`` with `serverError` if the request is unreadable.
    public var passkeyCreation: PasskeyCreation? {
        get throws { try data?.additional("passkeyCreationOptions").map(PasskeyCreation.init) }
    }

    /// Returns the payload that answers this step with a passkey's signature. The payload chooses the step's first action.
    public func payload(for assertion: PasskeyAssertion) -> EmbeddedSignInPayload {
        EmbeddedSignInPayload(flowId: flowId, actionId: actions.first?.id, inputs: assertion.inputs)
    }

    /// Returns the payload that answers this step with a new passkey. The payload chooses the step's first action.
    public func payload(for registration: PasskeyRegistration) -> EmbeddedSignInPayload {
        EmbeddedSignInPayload(flowId: flowId, actionId: actions.first?.id, inputs: registration.inputs)
    }
}

/// Reads the options of requests and creations. Challenges and identifiers have no defaults, because a guess could change
/// what the passkey signs, or for whom.
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

extension PasskeyRequest: Reticent {
    /// Shows the relying party and the user verification, but not the challenge and the passkeys' identifiers.
    package var shown: KeyValuePairs<String, Any> {
        ["relyingPartyID": relyingPartyID, "userVerification": userVerification]
    }
}

extension PasskeyCreation: Reticent {
    /// Shows the relying party, the user name, the user verification and the attestation, but not the challenge and the
    /// identifiers.
    package var shown: KeyValuePairs<String, Any> {
        [
            "relyingPartyID": relyingPartyID,
            "userName": userName,
            "userVerification": userVerification,
            "attestation": attestation,
        ]
    }
}

extension PasskeyAssertion: Reticent {
    /// Shows only the length of the passkey's identifier, because the assertion signs the person in.
    package var shown: KeyValuePairs<String, Any> { ["credentialID": "\(credentialID.count) bytes"] }
}

extension PasskeyRegistration: Reticent {
    /// Shows only the length of the passkey's identifier.
    package var shown: KeyValuePairs<String, Any> { ["credentialID": "\(credentialID.count) bytes"] }
}
