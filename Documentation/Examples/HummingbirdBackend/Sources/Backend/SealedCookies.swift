import Crypto
import Foundation
import Hummingbird
import IdentityOAuth

/// What a browser keeps for this server, sealed, so that nobody can read or change it. Every machine with the key can read what
/// another one has sealed.
struct SealedCookies: Sendable {
    let key: SymmetricKey
    /// Whether browsers send cookies over https alone.
    let isSecure: Bool

    private struct Content<Value: Codable>: Codable {
        let value: Value
        let endsAt: Date
    }

    /// A cookie with `value`.
    /// - Parameter lifetime: in seconds.
    func cookie(_ name: String, _ value: some Codable, lifetime: Int) throws -> Cookie {
        let content = Content(value: value, endsAt: Date() + TimeInterval(lifetime))
        let box = try ChaChaPoly.seal(JSONEncoder().encode(content), using: key, authenticating: Data(name.utf8))
        return cookie(name, text: Base64URL.encode(box.combined), lifetime: lifetime)
    }

    /// The value in the cookie of a request; `nil` where there is none that this server has sealed and that is still good.
    func value<Value: Codable>(_ name: String, as type: Value.Type, in request: Request) -> Value? {
        guard let sealed = request.cookies[name].flatMap({ Base64URL.decode($0.value) }),
            let box = try? ChaChaPoly.SealedBox(combined: sealed),
            let opened = try? ChaChaPoly.open(box, using: key, authenticating: Data(name.utf8)),
            let content = try? JSONDecoder().decode(Content<Value>.self, from: opened), content.endsAt > Date()
        else { return nil }
        return content.value
    }

    /// A cookie that takes the place of another and ends at once.
    func erased(_ name: String) -> Cookie { cookie(name, text: "", lifetime: 0) }

    /// Scripts cannot read it, and pages of others cannot send it in a form.
    private func cookie(_ name: String, text: String, lifetime: Int) -> Cookie {
        Cookie(
            name: name, value: text, maxAge: lifetime, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
    }
}
