import Foundation

/// A JSON document by which servers of one type can be recognized.
public enum PublishedDocument: Hashable, Sendable {
    /// A document at a path below the server's address, such as `/.well-known/openid-configuration`.
    case below(String)
    /// Well-known metadata with this registered name, such as `oauth-protected-resource`. Its path is inserted between
    /// the host and the path of the address (RFC 9728 section 3.1).
    case wellKnown(String)

    /// The URL of the document for a server at `address`.
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

/// The documents found at a server, among those that a plug-in asks for.
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
    /// The settings that follow from the documents, such as the issuer exactly as the server writes it.
    public var settings: [String: JSONValue]
    /// The questions to ask about this server; `nil` for ``ProviderPlugin/questions``.
    public var questions: [SettingQuestion]?
    /// Display name that the server gives itself; `nil` without one.
    public var name: String?

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
        /// The default answer.
        case answer(String)
        /// Other settings to use instead of the one asked for, and the name of that choice in the question. If one of
        /// these settings is given, the question is skipped.
        case settings([String: JSONValue], called: String)
    }

    public init(_ setting: String, _ meaning: String, standard: Standard? = nil, isSecret: Bool = false) {
        (self.setting, self.meaning, self.standard, self.isSecret) = (setting, meaning, standard, isSecret)
    }

    /// A question that explains a setting with its description, or with its name when `settings` have no description of
    /// it.
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
