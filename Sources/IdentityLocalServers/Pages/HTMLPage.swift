import Foundation

/// A page of a local server: plain HTML in a simple style, with strict security headers. Only the dashboard's pages have a
/// script.
package struct HTMLPage: Sendable {
    /// The heading, and the part of the window's title before ``site``.
    package var title: String
    /// Name of the site that the page belongs to, such as `ThunderID`.
    package var site: String
    /// A sentence below the heading, such as the purpose of the page.
    package var lead: HTML?
    package var alert: String?
    package var content: [HTML]
    /// Whether the page uses the window's width, up to 72 rem, as tables need it.
    package var isWide = false
    /// Seconds until the browser reloads the page; `nil` for never.
    package var refreshInterval: Int?
    /// Whether the page includes the dashboard's script, the only script there is.
    var runsDashboardScript = false
    /// Addresses outside this server that the page's form may lead to, directly or by a redirect. Redirects are included
    /// because Chromium blocks a redirect unless `form-action` in the content security policy allows the redirect's target.
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

    /// The identifier of the alert. Invalid fields refer to the alert in `aria-describedby`.
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
            // Do not tell other sites the addresses of this server's pages. The stricter `no-referrer` would make browsers send
            // `Origin: null` even with this server's own forms.
            ("Referrer-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"),
        ]
    }

    private var contentSecurityPolicy: String {
        let targets = Set(formTargets.compactMap(Self.source)).sorted()
        // The script may request only pages of this server.
        let script = runsDashboardScript ? ["script-src \(DashboardScript.source)", "connect-src 'self'"] : []
        let rules = [
            "default-src 'none'", "style-src \(PageStyle.source)", "base-uri 'none'", "frame-ancestors 'none'",
            (["form-action 'self'"] + targets).joined(separator: " "),
        ]
        return (rules + script).joined(separator: "; ")
    }

    /// Schemes of code, inline content and local files, which `form-action` must not allow.
    private static let neverTargets = ["javascript", "data", "vbscript", "blob", "file"]

    /// The source expression for an address in a content security policy (CSP level 3 section 2.3.1): the origin of an
    /// `http` or `https` address, and only the scheme of any other address. An IPv6 address also gets only its scheme,
    /// because no source expression can name it. `nil` if the address has no scheme, or one of ``neverTargets``.
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
