/// The kind of client. The kind decides where the client keeps its refresh token (Backends/InsForge.md#kinds-of-clients).
enum InsForgeClientType: Sendable {
    /// A browser: the refresh token is in a cookie, protected by a CSRF token.
    case web
    /// A client that stores the refresh token itself: `mobile`, `desktop` and `server` are treated alike.
    case native

    /// Reads the query parameter `client_type`. A missing, unknown or repeated value means ``web``.
    init(of request: LocalRequest) {
        let values = request.query.filter { $0.name == "client_type" }.map(\.value)
        self = values.count == 1 && ["mobile", "desktop", "server"].contains(values[0]) ? .native : .web
    }
}
