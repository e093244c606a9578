/// The way in which the authorization response is returned (OAuth 2.0 Multiple Response Type Encoding Practices section 2.1).
public struct ResponseMode: OpenEnum {
    /// The value as it is on the wire, also one that this version does not know.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// In the query of the redirect, which is the default of the code flow.
    public static let query: ResponseMode = "query"
    /// In the body of a POST to the redirect URI.
    public static let formPost: ResponseMode = "form_post"
}
