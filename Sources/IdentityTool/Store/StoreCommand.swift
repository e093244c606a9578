import ArgumentParser
import Foundation
import IdentityKit

/// `identity store`: groups the commands for the operator of a shared store.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Prepare a store, replace its key, or erase what nobody uses.",
        subcommands: [
            MigrateStoreCommand.self, RekeyStoreCommand.self, PurgeStoreCommand.self, AuditCommand.self,
        ])
}

extension ConfigurationOptions {
    /// Calls `body` with the configuration's store, and returns its result. A signal cancels `body`.
    /// - Throws: ``ConfigurationFileError`` for a missing file, `ConfigurationError` for an invalid path,
    ///   ``ConfigurationCheckError`` for a mistake in the file and in place of a `ConfigurationError` of `body`,
    ///   `CancellationError`, or another error of `body`.
    func withStore<Result: Sendable>(
        in call: ToolCall, _ body: @Sendable (StoreConfiguration) async throws -> Result
    ) async throws -> Result {
        let file = try ConfigurationFile(self, in: call).url
        do {
            let configuration = try IdentityConfiguration(
                contentsOf: file, profile: profile, variables: call.variables)
            return try await call.process.interrupting { try await body(configuration.store) }
        } catch let error as ConfigurationError {
            throw ConfigurationCheckError(file: file, error: error)
        }
    }

    /// Runs `work` on the store, shows its progress at a terminal, and prints the counts.
    /// - Parameters:
    ///   - noun: the plural name of the counted records, such as "sessions".
    ///   - failure: the end of the sentence "3 sessions could not be …" about failed records, such as "read.".
    ///   - work: processes the records, and calls its second argument with the counts so far.
    ///   - text: returns the line to print without `--json`.
    /// - Throws: as ``withStore(in:_:)``, `OutputError`, or the exit code 1 when records failed.
    func counting<Progress: CountedRecords>(
        _ noun: String, unless failure: String, _ output: OutputOptions, in call: ToolCall,
        _ work: @Sendable (any TokenStore, (Progress) -> Void) async throws -> Progress, text: (Progress) -> String
    ) async throws {
        let terminal = call.terminal
        let progress = try await withStore(in: call) { store in
            try await work(call.stores.open(store, in: call.storeContext)) {
                if terminal.showsProgress { terminal.note("\($0.seen) \(noun)") }
            }
        }
        if output.json { try terminal.json(progress) } else { try terminal.line(text(progress)) }
        guard progress.failures > 0 else { return }
        terminal.note("identity: \(progress.failures) \(noun) could not be \(failure)")
        throw ExitStatus.failure.code
    }
}

/// Counts of processed and of failed records, which a command prints.
protocol CountedRecords: Codable, Sendable {
    var seen: Int { get }
    var failures: Int { get }
}

extension PurgeProgress: CountedRecords {}
extension RekeyingProgress: CountedRecords {}
