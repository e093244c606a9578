extension Credential {
    /// The member of ``details`` that contains ``responseDetails``. The separate member prevents a server from overwriting
    /// other details, which providers use to check sessions.
    private static let responseDetails = "tokenResponse"

    /// Members of the token response that an app needs in addition to the tokens, such as the URL of the person's API.
    /// The setting `tokenResponse.details` lists their paths, which are the keys here. The server's values are not
    /// verified.
    public var responseDetails: [String: JSONValue] {
        details[Self.responseDetails]?.objectValue ?? [:]
    }

    /// Adds members of a token response to ``responseDetails``, and replaces earlier values of the same members. Other
    /// members stay.
    package mutating func keep(_ members: [String: JSONValue]) {
        guard !members.isEmpty else { return }
        details[Self.responseDetails] = .object(responseDetails.merging(members) { $1 })
    }
}
