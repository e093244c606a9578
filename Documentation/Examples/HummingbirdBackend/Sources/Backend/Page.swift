import Foundation
import Hummingbird
import IdentityKit

/// The one page of this server.
enum Page {
    static func signedOut(servers: [String]) -> Response {
        page(servers.map { "<p><a href=\"/sign-in/\($0.inAddress)\">Sign in with \($0.inPage)</a></p>" }.joined())
    }

    /// Shows name and address. An identifier, which another server has chosen, tells a person nothing.
    static func signedIn(_ profile: AccountProfile?) -> Response {
        let person = [profile?.displayName, profile?.email].compactMap { $0 }.joined(separator: ", ")
        return page(
            """
            <p>Signed in\(person.isEmpty ? "" : " as \(person.inPage)")</p>
            <p><a href="/me">What the API says about me</a></p>
            <form method="post" action="/sign-out"><button>Sign out</button></form>
            <form method="post" action="/sign-out-everywhere"><button>Sign out everywhere</button></form>
            """)
    }

    private static func page(_ content: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: "<!doctype html><title>Backend</title>\n\(content)\n")))
    }
}

extension String {
    /// As text of a page.
    fileprivate var inPage: String {
        // The ampersand first, or those of the others would be replaced.
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
            .reduce(self) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    /// As a part of a path.
    fileprivate var inAddress: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
}
