import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity events`: changes of the store.
struct EventsCommand: AsyncParsableCommand, JSONResultCommand {
    static func result(for words: [String]) -> any Decodable.Type { EventLine.self }

    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print sign-ins, refreshes and sign-outs until Ctrl-C.",
        discussion: """
            Shows the changes of every program that shares the store. Under load several changes of one account may be shown \
            as one. With --json each line is a document. Names and messages are those of a program's own observers.

            EXAMPLES
              identity events
              identity events --json | jq -r .account
            """)

    @OptionGroup var place: ConfigurationOptions

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let terminal = Terminal()
        do {
            try await ToolSession.run(place) { [self] session in
                let changes = session.store.changes()
                var teller = await EventTeller(session)
                terminal.note("Waiting for changes. Press Ctrl-C to stop.")
                for await change in changes {
                    guard let event = await teller.event(of: change) else { continue }
                    let line = EventLine(event.details, at: Date())
                    try terminal.line(output.json ? line.json([]) : line.text)
                }
            }
        } catch is Interrupted {
            // The usual end.
        }
    }
}
