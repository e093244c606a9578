import ArgumentParser
import Foundation
import IdentityKit

/// `identity store`: what the operator of a shared store does.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Prepare a store, replace its key, or erase what nobody uses.",
        subcommands: [MigrateStoreCommand.self, RekeyStoreCommand.self, PurgeStoreCommand.self])
}

/// `identity store migrate`: creates the tables.
struct MigrateStoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Create what the store needs on its server, or bring it to this version.",
        discussion: """
            Any number of machines may run it at once, and where there is nothing to do it changes nothing. Programs of an
            earlier version go on with the new tables while a deployment is rolled out. A store in files or in the Keychain
            needs no migration.

            EXAMPLES
              identity store migrate
              identity store migrate --print | psql --single-transaction

            EXIT STATUS
              0    the store is ready
              5    its server cannot be reached
              78   the configuration has mistakes
            """)

    @OptionGroup var place: ConfigurationOptions

    @Flag(help: "Print what would be done, in the server's language, and do nothing.")
    var print = false

    func run() async throws {
        let file = try ConfigurationFile(place).url
        let stores = ToolSession.registry.stores
        do {
            let configuration = try IdentityConfiguration(contentsOf: file, profile: place.profile)
            let migration = try stores.migration(of: configuration.store)
            let terminal = Terminal()
            guard !print else { return try terminal.line(migration ?? "") }
            try await StopSignal().interrupting { try await stores.migrate(configuration.store) }
            try terminal.line(migration == nil ? "This store needs no migration." : "The store is ready.")
        } catch let error as ConfigurationError {
            throw ConfigurationMistake(file: file, error: error)
        }
    }
}
