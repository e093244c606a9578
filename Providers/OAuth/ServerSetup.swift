import IdentityKit
import IdentityOAuth

extension SettingQuestion {
    /// The question for the client at a server without registration.
    static let client = SettingQuestion("clientID", "The identifier that the server gave this program.")
}

extension Recognition {
    /// The settings of a server, with the issuer exactly as in its metadata.
    /// - Parameter questions: returns the questions, given the one for the client. That one is omitted for a server at
    ///   which clients can register themselves (RFC 7591).
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

extension ProviderPreset {
    /// The questions that `given` leaves open. A sign-in on another device needs no redirect URI, and a client that
    /// registers itself no identifier.
    func questions(beside given: [String: JSONValue], describedBy settings: any Decodable.Type) -> [SettingQuestion] {
        needs.compactMap { key in
            switch key {
            case "clientID" where given["registration"] == nil:
                SettingQuestion(key, "The app's identifier, as \(name) gave it.")
            case "clientSecret" where given["registration"] == nil && given["clientAuthentication"] != .null:
                SettingQuestion(key, "The app's secret, or ${NAME} for a variable that holds it.", isSecret: true)
            case "redirectURI" where given["signIn"] != [String: JSONValue].deviceFlow["signIn"]:
                SettingQuestion(
                    key, "Where the browser returns, exactly as it is registered.",
                    standard: refusesLoopback ? nil : .answer([String: JSONValue].thisMachine))
            case "clientKeyFile":
                SettingQuestion(key, "The path of the app's private key, as \(name) gave it.")
            case "clientKeyID": SettingQuestion(key, "The identifier of that key.")
            case "clientSecretIssuer":
                SettingQuestion(key, "In whose name the app signs its secret: your team.")
            case "clientID", "clientSecret", "redirectURI": nil
            default: SettingQuestion(key, describedBy: settings)
            }
        }
    }
}

extension [String: JSONValue] {
    /// The redirect URI for a program at a terminal: this machine, with a port chosen at the sign-in (RFC 8252 section 7.3).
    static var thisMachine: String { "http://127.0.0.1/callback" }

    /// The settings of a sign-in on another device.
    static let deviceFlow: Self = ["signIn": .string(OAuthServer.SignInMethod.device.rawValue)]

    /// The settings with a redirect URI on this machine, if there is none.
    var returningToThisMachine: Self {
        guard self["redirectURI"] == nil, self["signIn"] != Self.deviceFlow["signIn"] else { return self }
        return merging(["redirectURI": .string(Self.thisMachine)]) { given, _ in given }
    }
}
