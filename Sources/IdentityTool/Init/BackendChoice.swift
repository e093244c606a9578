import Foundation
import IdentityKit
import IdentityOAuth

/// The backend that a person asks for: an address, or the name of a provider type.
enum BackendChoice: Equatable, Sendable {
    case address(URL)
    case type(String)

    /// Reads a typed text as the first of these that fits: the name of a type, an address with a scheme, an alternative name of
    /// a type that contains a period, or a host, which stands for its `https` address. The address of a metadata document
    /// stands for the server that publishes the document.
    /// - Parameter registry: the provider types.
    /// - Throws: ``BackendNotNamedError`` if the text is neither an address or a host nor the name of a type.
    init(typed words: String, in registry: ProviderRegistry) throws {
        let text = Self.withoutDocument(words)
        if registry.types.contains(text) {
            self = .type(text)
        } else if let url = URL(typed: text) {
            self = .address(url)
        } else if text.contains("."), let type = registry.type(called: text) {
            // An alternative name of a type, such as a vendor's host.
            self = .type(type)
        } else if text.contains(/^[A-Za-z0-9.\-]+\.[A-Za-z0-9\-]+(:[0-9]+)?(\/\S*)?$/),
            let url = URL(typed: "https://" + text)
        {
            // A text that looks like a host counts as an https address, as in a browser.
            self = .address(url)
        } else {
            throw BackendNotNamedError(text: text, near: Self.near(text, in: registry))
        }
    }

    private static func withoutDocument(_ text: String) -> String {
        let documents = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]
        guard let name = Discovery.documentName(in: text), documents.contains(String(name)) else { return text }
        return String(text[..<name.startIndex] + text[name.endIndex...])
    }

    /// Returns the type with the alternative name `text`, or else a type with a similar name, for a suggestion; `nil`
    /// if there is none.
    static func near(_ text: String, in registry: ProviderRegistry) -> String? {
        registry.type(called: text) ?? text.similarName(in: registry.types)
    }

    /// Returns help about the accepted answers: an address, the kinds of servers, and the vendors.
    static func help(in registry: ProviderRegistry) -> [String] {
        let kinds = registry.plugins.filter { $0.setup.addressSetting != nil }
        return [
            "an address: it is asked what it is",
            "a kind of server: " + kinds.map { $0.type }.joined(separator: ", "),
            "a vendor: " + registry.presets.map(\.type).joined(separator: ", "),
        ]
    }
}

/// The typed text is neither an address nor the name of a type.
struct BackendNotNamedError: IdentityFailure {
    let text: String
    /// The provider type to suggest: its name is similar, or `text` is another name of it. `nil` if there is none.
    let near: String?

    let failureCode = "backend_not_named"
    let failureClass = FailureClass.definitive
    var message: String {
        let near = near.map { " Did you mean \($0)?" } ?? ""
        return "\"\(text)\" is neither an address nor a kind of backend.\(near)"
    }
}
