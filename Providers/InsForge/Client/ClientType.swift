/// The kind of client, sent to the server as `client_type`.
///
/// The server treats all of these cases alike: the refresh token is in the response's body. There is no case for the
/// server's type `web`, because its refresh token is a cookie, which only a browser keeps.
public enum ClientType: String, Sendable, Codable, CaseIterable {
    /// A phone or a tablet.
    case mobile
    case desktop
    /// A program without a user interface.
    case server
}
