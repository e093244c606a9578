import Foundation

/// A JSON object that servers of a kind publish.
public enum PublishedDocument: Hashable, Sendable {
    /// At a path below the server's address, such as `/.well-known/openid-configuration`.
    case below(String)
    /// Well-known metadata of the address by its registered name, such as `oauth-protected-resource`: what follows the host
    /// in the address comes after it (RFC 9728 section 3.1).
    case wellKnown(String)

    /// The place at which a server at `address` publishes it.
    package func url(of address: URL) -> URL? {
        switch self {
        case .below(let path): return URL(string: address.withoutFinalSlash + path)
        case .wellKnown(let name):
            guard var parts = URLComponents(url: address, resolvingAgainstBaseURL: false) else { return nil }
            let path = parts.percentEncodedPath == "/" ? "" : parts.percentEncodedPath
            parts.percentEncodedPath = "/.well-known/\(name)" + path
            return parts.url
        }
    }
}

/// The documents that a server publishes, of those that a plug-in names.
public struct PublishedDocuments: Sendable {
    /// The server's address, as a person has given it.
    public let address: URL
    private let found: [PublishedDocument: JSONValue]

    /// The documents of the server at `address`.
    public init(at address: URL, _ found: [PublishedDocument: JSONValue]) {
        (self.address, self.found) = (address, found)
    }

    /// The address without a slash at its end.
    public var base: String { address.withoutFinalSlash }

    /// The document; `nil` when the server has none, or the plug-in does not name it.
    public subscript(_ document: PublishedDocument) -> JSONValue? { found[document] }
}

/// A server that a plug-in has recognized.
public struct Recognition: Sendable, Equatable {
    /// The settings that the server has told, such as its issuer exactly as it writes it.
    public var settings: [String: JSONValue]
    /// The questions to ask about this server; `nil` for ``ProviderPlugin/questions``.
    public var questions: [SettingQuestion]?
    /// The name that the server gives itself, for people; `nil` where it has none.
    public var name: String?

    /// A server that was recognized.
    public init(_ settings: [String: JSONValue], questions: [SettingQuestion]? = nil) {
        (self.settings, self.questions) = (settings, questions)
    }
}

/// A question for a setting that only a person knows.
public struct SettingQuestion: Sendable, Equatable {
    /// The setting, such as `clientID` or `account.identifier`.
    package var setting: String
    /// The meaning of the setting, in a sentence.
    package var meaning: String
    /// The meaning of an empty answer; `nil` asks again.
    package var standard: Standard?
    /// Whether the answer is not shown while it is typed.
    public var isSecret: Bool

    /// The meaning of an empty answer.
    public enum Standard: Sendable, Equatable {
        /// The answer that most people give.
        case answer(String)
        /// Other settings in place of the one that is asked for, and what the question calls them. Beside one of them nothing
        /// is asked.
        case settings([String: JSONValue], called: String)
    }

    public init(_ setting: String, _ meaning: String, standard: Standard? = nil, isSecret: Bool = false) {
        (self.setting, self.meaning, self.standard, self.isSecret) = (setting, meaning, standard, isSecret)
    }

    /// A question for a setting in the words of its description; its name where `settings` have none.
    package init(_ setting: String, describedBy settings: any Decodable.Type) {
        let description = SchemaTracer.descriptions(of: settings).first { $0.key == setting }
        self.init(setting, description?.meaning ?? setting)
    }
}

extension URL {
    fileprivate var withoutFinalSlash: String {
        let text = absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
