/// The kind of client, which determines how the server returns refresh tokens.
///
/// The server treats all of these cases alike. There is no case for the server's type `web`: its refresh token is a
/// cookie, which only a browser keeps.
public enum ClientType: String, Sendable, Codable, CaseIterable {
    /// A phone or a tablet.
    case mobile
    case desktop
    /// A program without a user interface.
    case server
}
