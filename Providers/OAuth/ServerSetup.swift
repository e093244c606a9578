import IdentityKit
import IdentityOAuth

extension SettingQuestion {
    /// The question for the client identifier at a server at which clients cannot register themselves.
    static let client = SettingQuestion("clientID", "The identifier that the server gave this program.")
}

extension Recognition {
    /// Recognizes a server by its metadata. The result has the setting `issuer`, exactly as in the metadata. `nil` without
    /// metadata, and for metadata without an `issuer`.
    /// - Parameter questions: returns all questions, given the question for the client. If the server has a registration
    ///   endpoint (RFC 7591), an empty answer to that question lets the client register itself.
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

extension PluginSetup {
    /// Returns the setup of a type for authorization servers, whose address is the setting `issuer`. At a terminal the browser
    /// returns to this machine, and a sign-in on another device uses the device flow (RFC 8628).
    /// - Parameters:
    ///   - otherNames: alternative names for the type, in lower case.
    ///   - metadata: the addresses of the metadata. The first document that the server has is used.
    ///   - account: the questions about the source of the account, asked after the one about the client.
    ///   - questionsForPreset: returns the questions for the settings that a preset lacks.
    static func ofAuthorizationServer(
        otherNames: Set<String>, metadata: [PublishedDocument], account: [SettingQuestion] = [],
        questionsForPreset: @escaping @Sendable (ProviderPreset, [String: JSONValue]) -> [SettingQuestion]
    ) -> PluginSetup {
        var setup = PluginSetup(
            otherNames: otherNames, addressSetting: "issuer", published: metadata,
            recognize: { documents in
                Recognition.issuer(in: metadata.lazy.compactMap { documents[$0] }.first) { [$0] + account }
            },
            questions: [SettingQuestion.client] + account,
            completedForTerminal: { settings in settings.returningToThisMachine },
            settingsForSignIn: { signIn in signIn == .onAnotherDevice ? .deviceFlow : nil })
        setup.questionsForPreset = questionsForPreset
        return setup
    }
}

extension ProviderPreset {
    /// Returns the questions for the settings in `needs`, without those that `given` makes unnecessary. The device flow
    /// needs no redirect URI. A client that registers itself needs no identifier and no secret. A client that does not
    /// authenticate needs no secret.
    /// - Parameters:
    ///   - given: the known settings.
    ///   - settings: the type that decodes the settings. For a setting that this function does not know, the question is the
    ///     description of the setting in this type.
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
                    standard: refusesLoopback ? nil : .answer(loopback ?? [String: JSONValue].thisMachine))
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

    /// The settings that select the device flow (RFC 8628).
    static let deviceFlow: Self = ["signIn": .string(OAuthServer.SignInMethod.device.rawValue)]

    /// The settings with a redirect URI on this machine, unless they have a redirect URI or select the device flow.
    var returningToThisMachine: Self {
        guard self["redirectURI"] == nil, self["signIn"] != Self.deviceFlow["signIn"] else { return self }
        return merging(["redirectURI": .string(Self.thisMachine)]) { given, _ in given }
    }
}
