import Foundation

/// The cookie that keeps a refresh token in a browser (Backends/InsForge.md#cookies).
enum InsForgeCookie {
    case user, admin

    init(_ type: InsForgeTokenService.SessionType) { self = type == .user ? .user : .admin }

    private var name: String { self == .user ? "insforge_refresh_token" : "insforge_admin_refresh_token" }

    private var path: String { self == .user ? "/api/auth" : "/api/auth/admin" }

    /// Returns the `Set-Cookie` value that stores a refresh token in the browser until the token expires.
    func set(_ token: String, at date: Date) -> String {
        let lifetime = InsForgeTokenService.refreshLifetime
        let expiry = HTTPDateText.format(date.addingTimeInterval(TimeInterval(lifetime)))
        return "\(name)=\(token); Max-Age=\(lifetime); Path=\(path); Expires=\(expiry)" + Self.flags
    }

    /// The `Set-Cookie` value that deletes the cookie.
    var clear: String {
        "\(name)=; Path=\(path); Expires=\(HTTPDateText.format(Date(timeIntervalSince1970: 0)))" + Self.flags
    }

    /// The token in a request's cookie; an empty one counts as absent.
    func value(in request: LocalRequest) -> String? { request.cookies(name).first { !$0.isEmpty } }

    private static let flags = "; HttpOnly; Secure; SameSite=None"
}
