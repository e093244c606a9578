import ArgumentParser
import IdentityKit

/// `identity store migrate`: creates or updates what the store needs on its server, such as database tables.
struct MigrateStoreCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Create what the store needs on its server, or bring it to this version.",
        discussion: """
            Any number of machines may run it at once, and where there is nothing to do it changes nothing. Programs of an \
            earlier version go on with the new tables while a deployment is rolled out. A store in files or in the Keychain \
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

    func run(in call: ToolCall) async throws {
        try await place.withStore(in: call) { [print] store in
            let terminal = call.terminal
            let migration = try call.stores.migration(of: store)
            guard !print else { return try terminal.line(migration ?? "") }
            try await call.stores.migrate(store, in: call.storeContext)
            try terminal.line(migration == nil ? "This store needs no migration." : "The store is ready.")
        }
    }
}
