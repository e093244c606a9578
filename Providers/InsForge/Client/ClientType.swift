/// The kind of client, sent to the server as `client_type`.
///
/// The server treats all of these cases alike: it sends the refresh token in the response's body. There is no case for
/// the server's type `web`, for which the server sends the refresh token as a cookie. Only a browser keeps that cookie.
public enum ClientType: String, Sendable, Codable, CaseIterable {
    /// A phone or a tablet.
    case mobile
    case desktop
    /// A program without a user interface.
    case server
}
