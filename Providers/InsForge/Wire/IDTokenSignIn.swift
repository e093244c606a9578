import Foundation
import IdentityKit

/// A token that Apple or Google gave the app, to be traded for a session (contract 2.8).
public enum IDTokenSignIn: Sendable, Equatable {
    /// A token of Sign in with Apple.
    ///
    /// The server refuses it unless it contains the hash of `nonce`: see ``AppleNonce``. Apple tells the name only at the
    /// very first sign-in, and not in the token, so it is sent beside it.
    case apple(token: Secret, nonce: AppleNonce, name: String? = nil)
    /// A token of Google Sign-In, made for the client ID that the project has configured.
    case google(token: Secret)

    /// The body of the request. Apple's is strict: a member more and it is refused.
    var body: [String: JSONValue] {
        switch self {
        case .google(let token):
            return ["provider": "google", "token": .string(token.reveal())]
        case .apple(let token, let nonce, let name):
            var body: [String: JSONValue] = [
                "provider": "apple", "token": .string(token.reveal()), "nonce": .string(nonce.raw.reveal()),
            ]
            if let name { body["name"] = .string(name) }
            return body
        }
    }
}

/// What ties a token of Sign in with Apple to the app that asked for it: Apple gets the hash and puts it into the token,
/// and the server gets the value itself, so that a token somebody else obtained is worth nothing.
public struct AppleNonce: Sendable, Hashable {
    /// What the server gets.
    let raw: Secret

    /// A new one, for one sign-in.
    /// - Throws: ``/IdentityKit/RandomnessError``; nothing weaker is made instead.
    public init(random: RandomSource = .system) throws {
        raw = Secret(try random.bytes(32).hexEncoded)
    }

    /// One that was made before.
    public init(raw: Secret) {
        self.raw = raw
    }

    /// What Apple gets, as `ASAuthorizationAppleIDRequest.nonce`: the SHA-256 in lower-case hexadecimal.
    public var hashed: String {
        sha256(Data(raw.reveal().utf8)).hexEncoded
    }
}
