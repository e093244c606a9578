extension Credential {
    /// Place of the kept members among ``details``, where no server's word can take that of a value that sessions are
    /// checked by.
    private static let responseDetails = "tokenResponse"

    /// The members of the token response that the setting `tokenResponse.details` names, by their paths: what an app needs to
    /// know beside the token, such as the address of the person's API. They come from the server and are not verified.
    public var responseDetails: [String: JSONValue] {
        details[Self.responseDetails]?.objectValue ?? [:]
    }

    /// Adds members of a token response, which replace those of an earlier one.
    package mutating func keep(_ members: [String: JSONValue]) {
        guard !members.isEmpty else { return }
        details[Self.responseDetails] = .object(responseDetails.merging(members) { $1 })
    }
}
