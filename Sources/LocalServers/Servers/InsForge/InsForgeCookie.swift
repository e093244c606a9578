import Foundation

/// The cookie that keeps a refresh token in a browser (InsForge contract, cookies).
enum InsForgeCookie {
    case user, admin

    init(_ type: InsForgeTokenService.SessionType) {
        self = type == .user ? .user : .admin
    }

    private var name: String {
        self == .user ? "insforge_refresh_token" : "insforge_admin_refresh_token"
    }

    private var path: String {
        self == .user ? "/api/auth" : "/api/auth/admin"
    }

    /// The `Set-Cookie` value that hands out a token.
    func set(_ token: String, at date: Date) -> String {
        let lifetime = InsForgeTokenService.refreshLifetime
        let expiry = Self.format(date.addingTimeInterval(TimeInterval(lifetime)))
        return "\(name)=\(token); Max-Age=\(lifetime); Path=\(path); Expires=\(expiry)" + Self.flags
    }

    /// The `Set-Cookie` value that takes it back.
    var clear: String {
        "\(name)=; Path=\(path); Expires=\(Self.format(Date(timeIntervalSince1970: 0)))" + Self.flags
    }

    /// The token a request brings; an empty one counts as none.
    func value(in request: LocalRequest) -> String? {
        let pairs = request.headers
            .filter { $0.name.caseInsensitiveCompare("Cookie") == .orderedSame }
            .flatMap { $0.value.split(separator: ";") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let prefix = name + "="
        return pairs.first { $0.hasPrefix(prefix) && $0 != prefix }.map { String($0.dropFirst(prefix.count)) }
    }

    private static let flags = "; HttpOnly; Secure; SameSite=None"

    private static func format(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
