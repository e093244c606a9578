import ArgumentParser
import Foundation
import IdentityKit

/// `identity store`: what the operator of a shared store does.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Prepare a store, replace its key, or erase what nobody uses.",
        subcommands: [
            MigrateStoreCommand.self, RekeyStoreCommand.self, PurgeStoreCommand.self, AuditCommand.self,
        ])
}

extension ConfigurationOptions {
    /// The result of `body` for the store of the configuration and the store types. A signal cancels it.
    /// - Throws: ``ConfigurationFileError``, ``ConfigurationMistake``, ``Interrupted``, and what `body` throws.
    func withStore<Result: Sendable>(
        _ body: @escaping @Sendable (StoreConfiguration, StoreRegistry) async throws -> Result
    ) async throws -> Result {
        let file = try ConfigurationFile(self).url
        do {
            let configuration = try IdentityConfiguration(contentsOf: file, profile: profile)
            return try await StopSignal().interrupting {
                try await body(configuration.store, ToolSession.registry.stores)
            }
        } catch let error as ConfigurationError {
            throw ConfigurationMistake(file: file, error: error)
        }
    }
}
