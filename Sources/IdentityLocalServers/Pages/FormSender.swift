import Foundation

extension LocalRequest {
    /// Whether one of this server's own pages may have sent the form. A page of another site could sign a person in
    /// under a name of its choice, or decide for them.
    ///
    /// A browser sends where a form comes from, and no page can change that; other programs send nothing. `none` is the person
    /// themselves, as when a page is loaded again.
    var isFromOwnPage: Bool {
        if let site = header("Sec-Fetch-Site") { return ["same-origin", "none"].contains(site) }
        guard let origin = header("Origin") else { return true }
        return origin.components(separatedBy: "://").last == header("Host") && origin.contains("://")
    }
}

extension HTMLPage {
    static func foreignForm(site: String) -> LocalResponse {
        HTMLPage("This did not work", site: site, alert: "Another site sent this form. Begin again in the application.")
            .response(status: 403)
    }
}
