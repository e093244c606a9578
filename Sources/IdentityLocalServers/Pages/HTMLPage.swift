import Foundation

/// A page of a local server: plain HTML that needs no script, in one quiet style, behind strict headers.
package struct HTMLPage: Sendable {
    /// The heading, and the first half of the title.
    package var title: String
    /// Name of the site that the page belongs to, such as `ThunderID`.
    package var site: String
    /// A sentence that belongs to the heading, such as what the page is for.
    package var lead: HTML?
    package var alert: String?
    package var content: [HTML]
    /// Whether tables need the width of the window.
    package var isWide = false
    /// After how many seconds the browser loads the page again; `nil` for never.
    package var refreshInterval: Int?
    /// Whether the page has the dashboard's script, the only one there is.
    var runsDashboardScript = false
    /// The addresses that a form of this page may lead to in the end, besides this server. Chromium blocks a redirect
    /// after a form, too, unless the page has named its target (CSP `form-action`).
    package var formTargets: [String] = []

    package init(
        _ title: String, site: String, lead: HTML? = nil, alert: String? = nil, content: [HTML] = [],
        _ configure: (inout HTMLPage) -> Void = { _ in }
    ) {
        (self.title, self.site, self.lead, self.alert, self.content) = (title, site, lead, alert, content)
        configure(&self)
    }

    package var html: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">\(refresh)
        <title>\(title) · \(site)</title>
        <style>\(PageStyle.sheet)</style>
        </head>
        <body>
        <main\(isWide ? " class=\"wide\"" as HTML : "")>
        <header><p class="site">\(site)</p><h1>\(title)</h1>\(lead.map { "\n<p class=\"lead\">\($0)</p>" as HTML })</header>
        \(alert.map { Self.alert($0) })
        \(content)
        </main>\(script)
        </body>
        </html>

        """
    }

    package func response(status: Int = 200) -> LocalResponse {
        var response = LocalResponse(
            status: status, headers: [("Content-Type", "text/html; charset=utf-8")] + headers,
            body: Data(html.text.utf8))
        response.reason = alert
        return response
    }

    /// The identifier of the alert, for the fields it is about (`aria-describedby`).
    static let alertID = "alert"

    private static func alert(_ text: String) -> HTML {
        "<p id=\"\(alertID)\" class=\"alert\" role=\"alert\">\(text)</p>"
    }

    private var script: HTML? { runsDashboardScript ? "\n<script>\(DashboardScript.text)</script>" : nil }

    private var refresh: HTML? { refreshInterval.map { "\n<meta http-equiv=\"refresh\" content=\"\($0)\">" } }

    private var headers: [(name: String, value: String)] {
        [
            ("Content-Security-Policy", contentSecurityPolicy),
            ("X-Frame-Options", "DENY"),
            ("Cache-Control", "no-store"),
            // Other sites do not learn an address. Not `no-referrer`: with it a form's `Origin` is null for our own servers, too.
            ("Referrer-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"),
        ]
    }

    private var contentSecurityPolicy: String {
        let targets = Set(formTargets.compactMap(Self.source)).sorted()
        // The script reads this server's own pages, and nothing else.
        let script = runsDashboardScript ? ["script-src \(DashboardScript.source)", "connect-src 'self'"] : []
        let rules = [
            "default-src 'none'", "style-src \(PageStyle.source)", "base-uri 'none'", "frame-ancestors 'none'",
            (["form-action 'self'"] + targets).joined(separator: " "),
        ]
        return (rules + script).joined(separator: "; ")
    }

    /// Schemes that run something instead of leading somewhere. No redirect gets there, and a policy need not offer it.
    private static let neverTargets = ["javascript", "data", "vbscript", "blob", "file"]

    /// An address as a policy names it: its origin, or its scheme where it has none or the policy knows no such host
    /// (CSP level 3 section 2.3.1; an IPv6 address is none).
    private static func source(_ address: String) -> String? {
        guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            scheme.wholeMatch(of: #/[a-z][a-z0-9+.\-]*/#) != nil, !neverTargets.contains(scheme)
        else { return nil }
        guard ["http", "https"].contains(scheme), let host = parts.host,
            host.wholeMatch(of: #/[A-Za-z0-9.\-]+/#) != nil
        else { return "\(scheme):" }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }
}
