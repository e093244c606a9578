import ArgumentParser
import Foundation
import IdentityKit

/// `identity store purge`: erases the sessions that nobody has used for the number of days in `--unused-for`.
struct PurgeStoreCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { PurgeProgress.self }

    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Erase the sessions that were not used for some days.",
        discussion: """
            A session is used by refreshing it: one whose access token has expired so many days ago was not used since. One whose \
            token does not expire is kept. Tokens are not revoked at the backends. It can be interrupted, and run again, such as \
            every night.

            EXAMPLES
              identity store purge --unused-for 90

            EXIT STATUS
              0    every session was looked at
              1    some could not be read; they stay as they are
              5    the store cannot be reached
              78   the configuration has mistakes
            """)

    @Option(help: ArgumentHelp("How many days, from 1 to 36500.", valueName: "days"))
    var unusedFor: Int

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...36_500).contains(unusedFor) else { throw ValidationError("Give --unused-for from 1 to 36500 days.") }
    }

    func run(in call: ToolCall) async throws {
        let date = call.context.clock.now - Double(unusedFor) * 86_400
        try await place.counting("sessions", unless: "read.", output, in: call) {
            try await $0.purge(unusedSince: date, $1)
        } text: {
            "\($0.purged) of \($0.seen) sessions were erased."
        }
    }
}
