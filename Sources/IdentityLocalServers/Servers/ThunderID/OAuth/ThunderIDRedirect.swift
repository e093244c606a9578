import Foundation

/// Addresses with a query in the form of the real server: parameters sorted by name, and `+` for a space.
enum ThunderIDRedirect {
    /// `uri` with the given query parameters added. Parameters with the value `nil` are left out.
    static func address(_ uri: String, _ parameters: [String: String?]) -> String {
        let sorted = parameters.compactMapValues { $0 }.sorted { $0.key < $1.key }
        let query = LocalRequest.encodeForm(sorted.map { ($0.key, $0.value) })
        return query.isEmpty ? uri : uri.appendingQuery(query)
    }
}

extension ThunderIDBackend {
    func gate(_ page: String, _ parameters: [String: String?]) -> String {
        ThunderIDRedirect.address("\(baseURL)/gate/\(page)", parameters)
    }
}

extension LocalResponse {
    /// A redirect with status 302. Unless the request was a `POST`, the body is a page with a link for browsers that do not
    /// redirect.
    static func found(_ location: String, after method: String = "GET") -> LocalResponse {
        guard method != "POST" else { return .redirect(to: location) }
        let page: HTML = "<a href=\"\(location)\">Found</a>.\n\n"
        return LocalResponse(
            status: 302, headers: [("Content-Type", "text/html; charset=utf-8"), ("Location", location)],
            body: Data(page.text.utf8))
    }
}
