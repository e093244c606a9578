import Foundation

/// A JSON document by which servers of one type can be recognized.
public enum PublishedDocument: Hashable, Sendable {
    /// A document at a path below the server's address, such as `/.well-known/openid-configuration`.
    case below(String)
    /// Well-known metadata with this registered name, such as `oauth-protected-resource`. The path
    /// `/.well-known/oauth-protected-resource` is then inserted between the host and the path of the address (RFC 9728
    /// section 3.1).
    case wellKnown(String)

    /// Returns the document's URL on the server at `address`; `nil` if `address` and the path form no valid URL.
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

/// The documents that a server has, among those that a ``PluginSetup`` names.
public struct PublishedDocuments: Sendable {
    /// The server's address, to which the documents belong.
    public let address: URL
    private let found: [PublishedDocument: JSONValue]

    /// Makes a collection of the documents found at the server at `address`. Each value is a JSON object.
    package init(at address: URL, _ found: [PublishedDocument: JSONValue]) {
        (self.address, self.found) = (address, found)
    }

    /// The text of ``address`` without a slash at its end.
    public var base: String { address.withoutFinalSlash }

    /// The JSON object of a document; `nil` when the server has none, or the ``PluginSetup`` does not name the document.
    public subscript(_ document: PublishedDocument) -> JSONValue? { found[document] }
}

/// Result of recognizing a server: settings for a provider, and questions about the remaining settings.
public struct Recognition: Sendable, Equatable {
    package let settings: [String: JSONValue]
    package let questions: [SettingQuestion]?
    package let name: String?

    /// Makes the result of recognizing a server.
    /// - Parameters:
    ///   - settings: the settings that follow from the documents, such as the issuer exactly as the server writes it.
    ///   - questions: the questions for this server; `nil` to ask those of the ``PluginSetup``.
    ///   - name: the display name that the server gives itself; `nil` without one.
    public init(_ settings: [String: JSONValue], questions: [SettingQuestion]? = nil, name: String? = nil) {
        (self.settings, self.questions, self.name) = (settings, questions, name)
    }
}

/// A question for the value of a setting, which commands such as `identity init` ask a person.
public struct SettingQuestion: Sendable, Equatable {
    package var setting: String
    package var meaning: String
    package var standard: Standard?
    package let isSecret: Bool

    /// Effect of an empty answer on the settings.
    public enum Standard: Sendable, Equatable {
        /// The setting gets this default.
        case answer(String)
        /// Other settings are used in place of the requested setting. `called` is the name of this choice, which the
        /// question shows. The question is skipped if any of the other settings is already known.
        case settings([String: JSONValue], called: String)
    }

    /// Makes a question.
    /// - Parameters:
    ///   - setting: the key path of the setting, such as `clientID` or `account.identifier`.
    ///   - meaning: the explanation of the setting in a sentence, shown as the question.
    ///   - standard: the effect of an empty answer; `nil` to ask again.
    ///   - isSecret: whether the answer is not shown while it is typed.
    public init(_ setting: String, _ meaning: String, standard: Standard? = nil, isSecret: Bool = false) {
        (self.setting, self.meaning, self.standard, self.isSecret) = (setting, meaning, standard, isSecret)
    }

    /// Makes a question that explains a setting with the description that `settings` has of it, or else with the name of
    /// the setting.
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
