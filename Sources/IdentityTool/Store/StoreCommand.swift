import ArgumentParser
import Foundation
import IdentityKit

/// `identity store`: what the operator of a shared store does.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Prepare a store, replace its key, or erase what nobody uses.",
        subcommands: [
            MigrateStoreCommand.self, RekeyStoreCommand.self, PurgeStoreCommand.self, AuditCommand.self,
        ])
}

extension ConfigurationOptions {
    /// The result of `body` for the store of the configuration. A signal cancels it.
    /// - Throws: ``ConfigurationFileError``, ``ConfigurationMistake``, and what `body` throws.
    func withStore<Result: Sendable>(
        in call: ToolCall, _ body: @Sendable (StoreConfiguration) async throws -> Result
    ) async throws -> Result {
        let file = try ConfigurationFile(self, in: call).url
        do {
            let configuration = try IdentityConfiguration(
                contentsOf: file, profile: profile, variables: call.variables)
            return try await call.process.interrupting { try await body(configuration.store) }
        } catch let error as ConfigurationError {
            throw ConfigurationMistake(file: file, error: error)
        }
    }
}
