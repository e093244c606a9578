import IdentityKit
import IdentityOAuth

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

extension [String: JSONValue] {
    /// The settings of a sign-in on another device.
    static let deviceFlow: Self = ["signIn": .string(OAuthServer.SignInMethod.device.rawValue)]

    /// With a redirect URI on this machine, on a free port (RFC 8252 section 7.3), where the browser returns.
    var returningToThisMachine: Self {
        guard self["redirectURI"] == nil, self["signIn"] != Self.deviceFlow["signIn"] else { return self }
        return merging(["redirectURI": "http://127.0.0.1/callback"]) { given, _ in given }
    }
}
