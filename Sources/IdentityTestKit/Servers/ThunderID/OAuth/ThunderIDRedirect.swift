#if Tools
import Foundation
import IdentityKit

/// Addresses with a query, written as the server writes them: sorted by name, a space as `+`.
enum ThunderIDRedirect {
    /// `uri` with more query parameters; those without a value are left out.
    static func address(_ uri: String, _ parameters: [String: String?]) -> String {
        let query = parameters.compactMapValues { $0 }.sorted { $0.key < $1.key }
            .map { "\(encode($0.key))=\(encode($0.value))" }.joined(separator: "&")
        guard !query.isEmpty else { return uri }
        return uri + (uri.contains("?") ? "&" : "?") + query
    }

    private static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            case UInt8(ascii: " "): "+"
            default: "%" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

extension ThunderIDBackend {
    /// An address of the hosted pages.
    func gate(_ page: String, _ parameters: [String: String?]) -> String {
        ThunderIDRedirect.address("\(baseURL)/gate/\(page)", parameters)
    }
}

extension LocalResponse {
    /// `302 Found` with the page that older browsers would show.
    static func found(_ location: String) -> LocalResponse {
        let escaped = location.replacingOccurrences(of: "&", with: "&amp;")
        return LocalResponse(
            status: 302, headers: [("Content-Type", "text/html; charset=utf-8"), ("Location", location)],
            body: Data("<a href=\"\(escaped)\">Found</a>.\n\n".utf8))
    }
}
#endif
