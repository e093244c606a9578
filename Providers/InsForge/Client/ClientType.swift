/// The kind of client, which determines how the server returns refresh tokens.
///
/// The server treats all of these cases alike. `web`, whose refresh token is a cookie, is only for code in a browser
/// and has no case.
public enum ClientType: String, Sendable, Codable, CaseIterable {
    /// A phone or a tablet.
    case mobile
    case desktop
    /// A program without a user interface.
    case server
}
