import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import ThunderID

/// A person whose passkeys are made in software, and whose system may be wrong about where it is.
final class SoftwarePasskeys: PasskeyAuthenticator {
    private let rightful = SoftwareAuthenticator()
    private let state = Locked((isElsewhere: false, timesAsked: 0))

    var timesAsked: Int { state.withLock { $0.timesAsked } }

    /// Signs for another origin from now on, which no server accepts, or for the right one again.
    func setElsewhere(_ isElsewhere: Bool) {
        state.withLock { $0.isElsewhere = isElsewhere }
    }

    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        let isElsewhere = ask()
        var challenge = request.challenge
        // What is signed is another challenge.
        if isElsewhere { challenge.append(0) }
        let options: JSONValue = [
            "challenge": .string(Base64URL.encode(challenge)), "rpId": .string(request.relyingPartyID),
            "allowCredentials": .array(request.allowedCredentials.map { ["id": .string(Base64URL.encode($0))] }),
        ]
        let answer = try rightful.sign(String(decoding: JSONEncoder().encode(options), as: UTF8.self))
        return PasskeyAssertion(
            credentialID: bytes(answer["credentialId"]), clientDataJSON: bytes(answer["clientDataJSON"]),
            authenticatorData: bytes(answer["authenticatorData"]), signature: bytes(answer["signature"]),
            userHandle: bytes(answer["userHandle"]))
    }

    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration {
        let isElsewhere = ask()
        var challenge = creation.challenge
        if isElsewhere { challenge.append(0) }
        let options: JSONValue = [
            "challenge": .string(Base64URL.encode(challenge)), "rp": ["id": .string(creation.relyingPartyID)],
            "user": ["id": .string(Base64URL.encode(creation.userID))],
            "pubKeyCredParams": .array(creation.algorithms.map { ["alg": .integer(Int64($0))] }),
        ]
        let answer = try rightful.create(String(decoding: JSONEncoder().encode(options), as: UTF8.self))
        return PasskeyRegistration(
            credentialID: bytes(answer["credentialId"]), clientDataJSON: bytes(answer["clientDataJSON"]),
            attestationObject: bytes(answer["attestationObject"]))
    }

    private func ask() -> Bool {
        state.withLock { state in
            state.timesAsked += 1
            return state.isElsewhere
        }
    }

    private func bytes(_ text: String?) -> Data { text.flatMap { Base64URL.decode($0) } ?? Data() }
}
