import IdentityKit

extension SettingQuestion {
    /// The client at a server that says nothing about registration.
    static let client = SettingQuestion("clientID", "The identifier that the server gave this program.")
}

extension Recognition {
    /// A server by the issuer in its metadata, exactly as it writes it.
    /// - Parameter questions: what to ask beside the given question for the client. A server with an endpoint for it registers
    ///   a client by itself (RFC 7591).
    static func issuer(in metadata: JSONValue?, asking questions: (SettingQuestion) -> [SettingQuestion]) -> Self? {
        guard let issuer = metadata?["issuer"]?.stringValue else { return nil }
        var client = SettingQuestion.client
        if metadata?["registration_endpoint"]?.stringValue != nil {
            client.meaning += " Without one it registers itself."
            client.standard = .settings(["registration": [:]], called: "register")
        }
        return Recognition(["issuer": .string(issuer)], questions: questions(client))
    }
}
