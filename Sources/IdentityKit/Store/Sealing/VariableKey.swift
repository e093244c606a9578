import Foundation

/// Takes the key from an environment variable, which a deployment sets on each machine. Cannot create a key.
package struct VariableKey: DataKeyHome {
    private let variable: String
    private let value: @Sendable (String) -> String?

    /// Uses the environment variable called `variable` of this process.
    package init(variable: String) {
        self.init(variable: variable) { ProcessInfo.processInfo.environment[$0] }
    }

    package init(variable: String, value: @escaping @Sendable (String) -> String?) {
        self.variable = variable
        self.value = value
    }

    package var name: String { "the environment variable \(variable)" }

    /// The keys in the variable, the current key first; empty when the variable is missing or empty. Each key is the base64
    /// form of 32 bytes. White space separates the keys.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)`` for a text that contains anything but keys.
    package func keys(forStore storeID: String) throws -> [DataKey] {
        guard let text = value(variable), !text.isEmpty else { return [] }
        return try keys(in: text, of: "variable")
    }

    /// Always throws, because a program cannot set the variable on other machines.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    package func makeKey(forStore storeID: String) async throws -> DataKey {
        throw unavailable("it is not set. Set it to the base64 form of 32 random bytes, the same on every machine")
    }
}
