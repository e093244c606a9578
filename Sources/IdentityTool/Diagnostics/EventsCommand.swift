import ArgumentParser
import IdentityKit

/// `identity events`: prints sign-ins, sign-outs, refreshes and other changes of accounts in the store as they happen.
struct EventsCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { EventLine.self }

    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print sign-ins, refreshes and sign-outs until Ctrl-C.",
        discussion: """
            Shows the changes of every program that shares the store. Under load several changes of one account may be shown \
            as one. With an account only its own are shown. With --json each line is a document. The names are \
            account.signed_in, account.session_stored, account.session_ended, account.signed_out and account.selected.

            EXAMPLES
              identity events
              identity events --json | jq -r .account
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var acting: AccountOptions

    @OptionGroup var output: OutputOptions

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        do {
            try await ToolSession.run(place, as: acting.named(in: call), in: call) {
                [output, isVerbose = place.verbosity.isOn(in: call)] session in
                let changes = session.store.changes(in: nil)
                let named = try await session.namedAccount()
                var printer = try await EventPrinter(session)
                terminal.note("Waiting for changes. Press Ctrl-C to stop.")
                for await change in changes {
                    guard let event = await printer.event(of: change) else { continue }
                    let line = EventLine(event.details, at: call.context.clock.now)
                    guard named == nil || line.account == named?.id else { continue }
                    guard !output.json else {
                        try terminal.json(line, [])
                        continue
                    }
                    try terminal.line((isVerbose ? line.text : printer.named(line.text, line.account)).visible)
                }
            }
        } catch  where Task.isCancelled {
            // Ctrl-C is the normal way to end.
        }
    }
}
