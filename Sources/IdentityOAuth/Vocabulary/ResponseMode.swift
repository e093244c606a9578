/// The method by which the server returns the authorization response (OAuth 2.0 Multiple Response Type Encoding
/// Practices section 2.1).
public struct ResponseMode: OpenEnum {
    /// The value on the wire, which may be unknown to this version of the library.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Parameters in the query of the redirect URI: the default for the response type `code`.
    public static let query: ResponseMode = "query"
    /// Parameters in the body of a POST to the redirect URI (OAuth 2.0 Form Post Response Mode).
    public static let formPost: ResponseMode = "form_post"
}
