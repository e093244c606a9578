extension Credential {
    /// Member of ``details`` that holds these members, so that a server cannot overwrite details by which sessions are
    /// checked.
    private static let responseDetails = "tokenResponse"

    /// The members of the token response that the setting `tokenResponse.details` names, by their paths: information
    /// that an app needs in addition to the token, such as the address of the person's API. The values come from the
    /// server and are not verified.
    public var responseDetails: [String: JSONValue] {
        details[Self.responseDetails]?.objectValue ?? [:]
    }

    /// Keeps members of a token response, which replace those of an earlier one.
    package mutating func keep(_ members: [String: JSONValue]) {
        guard !members.isEmpty else { return }
        details[Self.responseDetails] = .object(responseDetails.merging(members) { $1 })
    }
}
