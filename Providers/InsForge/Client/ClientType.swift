/// The kind of client, which decides how the server sends refresh tokens.
///
/// The server treats all of these alike. `web`, whose refresh token is a cookie, is for code that runs in a browser, and
/// has no case here.
public enum ClientType: String, Sendable, Codable, CaseIterable {
    /// A phone or a tablet.
    case mobile
    case desktop
    /// A program without a person in front of it.
    case server
}
