import Foundation
import IdentityKit

/// A token that Apple or Google gave the app, which is exchanged for a session.
public enum IDTokenSignIn: Sendable, Equatable {
    /// A token of Sign in with Apple.
    ///
    /// The server refuses it unless it contains the hash of `nonce`: see ``AppleNonce``. Apple gives the name only at the
    /// first sign-in, and not in the token, so it is sent separately.
    case apple(token: Secret, nonce: AppleNonce, name: String? = nil)
    /// A token of Google Sign-In, made for the client ID that the project has configured.
    case google(token: Secret)

    /// The body of the request. Apple's must have no other members.
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

/// Binds a token of Sign in with Apple to the app that requested it: Apple puts the hash into the token, and the server
/// gets the value itself. A token that another app obtained is refused.
public struct AppleNonce: Sendable, Hashable {
    /// The value that the server gets.
    let raw: Secret

    /// Makes a nonce for one sign-in.
    /// - Throws: ``/IdentityCore/RandomnessError``.
    public init(random: RandomSource = .system) throws {
        raw = Secret(try random.bytes(32).hexEncoded)
    }

    public init(raw: Secret) {
        self.raw = raw
    }

    /// The value for `ASAuthorizationAppleIDRequest.nonce`: the SHA-256 in lower-case hexadecimal.
    public var hashed: String {
        sha256(Data(raw.reveal().utf8)).hexEncoded
    }
}
