import Foundation

extension LocalRequest {
    /// Whether the form may come from one of this server's own pages. Without this check, a page of another site could sign a
    /// person in under a name of the page's choice, or give consent in the person's place.
    ///
    /// Browsers send `Sec-Fetch-Site` or at least `Origin`, which no page can change. Other programs usually send neither,
    /// and their forms are accepted. `Sec-Fetch-Site: none` means that the person caused the request, not a page.
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
