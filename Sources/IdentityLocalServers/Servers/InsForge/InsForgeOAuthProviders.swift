import Foundation
import IdentityKit

/// The OAuth providers that the server knows, and those configured for the project.
final class InsForgeOAuthProviders: Sendable {
    /// Every built-in provider name, in the order of the server's own list.
    static let builtInNames = [
        "google", "github", "discord", "linkedin", "facebook", "instagram", "tiktok", "apple", "x", "spotify",
        "microsoft",
    ]
    /// Names that the server lists although it does not implement them.
    static let unimplementedNames: Set = ["instagram", "tiktok", "spotify"]

    struct Custom: Sendable {
        let id = UUID().uuidString.lowercased()
        let key: String
        let name: String
        let clientID: String
        /// The address of the provider's metadata; `nil` for this server's fake provider.
        let discoveryEndpoint: String?
        let createdAt: Date
    }

    private struct State: Sendable {
        var builtIn: [String]
        var custom: [Custom]
    }

    private let state: Locked<State>

    init(builtIn: [String], custom: [String], at date: Date) {
        state = Locked(
            State(
                builtIn: builtIn,
                custom: custom.map {
                    Custom(
                        key: $0, name: $0.capitalized, clientID: "local-client", discoveryEndpoint: nil,
                        createdAt: date)
                }))
    }

    /// The configured built-in providers, in alphabetical order.
    var builtIn: [String] { state.withLock { $0.builtIn.sorted() } }

    var customKeys: [String] { state.withLock { $0.custom.map(\.key) } }

    func custom(_ key: String) -> Custom? { state.withLock { $0.custom.first { $0.key == key } } }

    /// - Throws: `AUTH_OAUTH_CONFIG_ALREADY_EXISTS` if the provider is configured already.
    func add(builtIn name: String) throws {
        try state.withLock { state in
            guard !state.builtIn.contains(name) else { throw Self.exists(name) }
            state.builtIn.append(name)
        }
    }

    /// - Throws: `AUTH_OAUTH_CONFIG_ALREADY_EXISTS` if another custom provider has the same key.
    func add(_ provider: Custom) throws {
        try state.withLock { state in
            guard !state.custom.contains(where: { $0.key == provider.key }) else { throw Self.exists(provider.key) }
            state.custom.append(provider)
        }
    }

    static func isKey(_ text: String) -> Bool { text.wholeMatch(of: #/[a-z0-9_\-]{1,64}/#) != nil }

    private static func exists(_ name: String) -> InsForgeServerError {
        InsForgeServerError(409, "AUTH_OAUTH_CONFIG_ALREADY_EXISTS", "OAuth configuration for \(name) already exists")
    }
}
