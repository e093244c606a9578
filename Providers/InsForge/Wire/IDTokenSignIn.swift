import Foundation
import IdentityKit

/// A token that an app got from Apple or Google, to be exchanged for a session.
public enum IDTokenSignIn: Sendable, Equatable {
    /// A token of Sign in with Apple.
    ///
    /// The token must contain the hash of `nonce`; see ``AppleNonce``. Apple gives the name only at the first sign-in
    /// and not in the token, so it is sent separately.
    case apple(token: Secret, nonce: AppleNonce, name: String? = nil)
    /// A token of Google Sign-In, made for the client ID that the project has configured.
    case google(token: Secret)

    /// The JSON body of the request. For Apple, the server refuses members that it does not know.
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

/// Binds a token of Sign in with Apple to the app that requested it. The token contains the hash of this value, and the
/// server gets the value itself. The server can therefore refuse a token that another app obtained.
public struct AppleNonce: Sendable, Hashable {
    /// The unhashed nonce, which the server receives and hashes for the comparison.
    let raw: Secret

    /// Makes a nonce from 32 random bytes. Use it for one sign-in only.
    /// - Throws: an error with the code `randomness_unavailable` when `random` fails.
    public init(random: RandomSource = .system) throws {
        raw = Secret(try random.bytes(32).hexEncoded)
    }

    public init(raw: Secret) {
        self.raw = raw
    }

    /// The value for `ASAuthorizationAppleIDRequest.nonce`: the SHA-256 of the nonce in lower-case hexadecimal.
    public var hashed: String {
        sha256(Data(raw.reveal().utf8)).hexEncoded
    }
}
