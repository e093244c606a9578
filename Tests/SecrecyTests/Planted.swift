import Foundation
import IdentityKit

/// Secrets that are recognized wherever they show up.
enum Planted {
    static let text = "planted-secret-0123456789"
    static let secret = Secret(text)
    /// A JSON Web Token with the secret for its signature.
    static let token = "\(header).\(claims).\(signature)"
    /// The token's signature, which nobody may see.
    static let signature = Data(text.utf8).base64EncodedString().replacing("=", with: "")
    private static let header = base64(#"{"alg":"ES256","kid":"1"}"#)
    private static let claims = base64(
        #"{"sub":"ada","iss":"https://id.example.com","aud":"app","iat":1,"exp":2,"nonce":"\#(text)"}"#)

    static let secrets = [text, signature]
    /// An address with a password, and a secret in its query and its fragment.
    static let url = URL(string: "https://user:\(text)@id.example.com/path?code=\(text)&state=\(text)#x=\(text)")
    /// Members of a JSON object, of which one is a secret.
    static let members: [String: JSONValue] = ["extra": .string(text), "nested": ["a": [.string(text)]]]

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-").replacing(
            "/", with: "_")
    }
}
