/// What kind of client asks: it decides how the server hands refresh tokens out (contract 0.3).
///
/// The server treats all of these alike. `web`, whose refresh token is a cookie guarded by a second token, is for code
/// that runs in a browser, so it does not exist here.
public enum ClientType: String, Sendable, Codable, CaseIterable {
    /// A telephone or a tablet.
    case mobile
    /// A computer.
    case desktop
    /// A program without a person in front of it.
    case server
}
