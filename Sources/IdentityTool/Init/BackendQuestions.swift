import IdentityKit
import InsForge
import IdentityOAuthProviders
import ThunderID

/// What a backend of a kind needs that only a person knows.
struct BackendQuestions {
    let type: String
    /// Whether a program may register itself, so that nobody needs to know an identifier for it.
    var allowsRegistration = false

    /// The setting that names the server; `nil` for a type without one.
    static func address(of type: String) -> String? {
        switch type {
        case ThunderIDPlugin.type, InsForgePlugin.type: "baseURL"
        case OpenIDConnectPlugin.type, OAuth2Plugin.type: "issuer"
        case ProtectedResourcePlugin.type: "resource"
        default: nil
        }
    }

    /// The questions that `settings` leave open.
    func open(beside settings: [String: JSONValue]) -> [Question] {
        all.filter { question in
            !question.name.split(separator: ".").reduce(JSONValue?.some(.object(settings))) { $0?[String($1)] }.isGiven
                && !(question.name == "clientID" && settings["registration"].isGiven)
                && !(question.name == "redirectURI" && settings["signIn"] == "device")
        }
    }

    static func settings(
        _ settings: [String: JSONValue], with answer: String, to question: Question
    ) -> [String: JSONValue] {
        if question.name == "clientID", answer == question.standard {
            return settings.filter { $0.key != question.name }.merging(["registration": [:]]) { given, _ in given }
        }
        if question.name == "redirectURI", answer == question.standard {
            return settings.filter { $0.key != question.name }
        }
        let names = question.name.split(separator: ".").map(String.init)
        guard names.count == 2 else { return settings.merging([question.name: .string(answer)]) { $1 } }
        var outer = settings[names[0]]?.objectValue ?? [:]
        outer[names[1]] = .string(answer)
        return settings.merging([names[0]: .object(outer)]) { $1 }
    }

    private var all: [Question] {
        switch type {
        case ThunderIDPlugin.type:
            [
                Question(name: "clientID", meaning: "The application's client ID, as ThunderID's console shows it."),
                Question(
                    name: "redirectURI",
                    meaning: "Where a sign-in returns, exactly as the application has it, if it has several.",
                    standard: Self.isAlone),
            ]
        case OpenIDConnectPlugin.type: [client]
        case OAuth2Plugin.type:
            [
                client,
                Question(
                    name: "account.url",
                    meaning: "The server's resource that says who signed in, such as https://api.example.com/user."),
                Question(
                    name: "account.identifier", meaning: "The member there that identifies a person for ever.",
                    standard: "id"),
            ]
        default: []
        }
    }

    private var client: Question {
        allowsRegistration
            ? Question(
                name: "clientID",
                meaning: "The identifier that the server gave this program. Without one it registers itself.",
                standard: Self.registers)
            : Question(name: "clientID", meaning: "The identifier that the server gave this program.")
    }

    /// What stands for the only redirect URI of an application.
    private static let isAlone = "its own"
    /// What stands for a client that registers itself.
    private static let registers = "register"
}

extension JSONValue? {
    fileprivate var isGiven: Bool { self != nil }
}
