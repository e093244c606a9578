import ArgumentParser
import Foundation
import IdentityKit

/// `identity store`: commands for the operator of a shared store.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Prepare a store, replace its key, or erase what nobody uses.",
        subcommands: [
            MigrateStoreCommand.self, RekeyStoreCommand.self, PurgeStoreCommand.self, AuditCommand.self,
        ])
}

extension ConfigurationOptions {
    /// The result of `body` for the store of the configuration. A signal cancels `body`.
    /// - Throws: ``ConfigurationFileError``, ``ConfigurationCheckError``, and what `body` throws.
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

    /// Processes the records of the store, and prints how many there were.
    /// - Parameters:
    ///   - noun: the name of the counted records.
    ///   - failure: a description of what failed for the unchanged records.
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

/// Counts of a command that processes the records of a store.
protocol CountedRecords: Codable, Sendable {
    var seen: Int { get }
    var failures: Int { get }
}

extension PurgeProgress: CountedRecords {}
extension RekeyingProgress: CountedRecords {}
