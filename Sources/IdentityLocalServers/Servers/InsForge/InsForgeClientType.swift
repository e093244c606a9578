/// The way in which a client keeps its refresh token (`client_type`, Backends/InsForge.md#kinds-of-clients).
enum InsForgeClientType: Sendable {
    /// In a cookie, protected by a CSRF token.
    case web
    /// In the client's own storage: `mobile`, `desktop` and `server` are treated alike.
    case native

    /// Reads the query. A missing, unknown or repeated value means ``web``.
    init(of request: LocalRequest) {
        let values = request.query.filter { $0.name == "client_type" }.map(\.value)
        self = values.count == 1 && ["mobile", "desktop", "server"].contains(values[0]) ? .native : .web
    }
}
