import ArgumentParser
import Foundation
import IdentityKit

/// `identity events`: the store, live.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print what happens in the store, from now until Ctrl-C.",
        discussion: """
            Sign-ins, refreshes and sign-outs of every program that shares the store. Under load several changes of one
            account may be told as one.

            EXAMPLES
              identity events
              identity events --json | jq -r .account
            """)

    @OptionGroup var place: ConfigurationOptions

    @Flag(help: "Print one JSON document a line instead of text.")
    var json = false

    func run() async throws {
        let terminal = Terminal()
        do {
            try await ToolSession.run(place) { [self] session in
                let changes = session.store.changes()
                var teller = await EventTeller(session)
                terminal.note("Waiting for changes. Press Ctrl-C to stop.")
                for await change in changes {
                    if let event = await teller.event(of: change) { try show(event, on: terminal) }
                }
            }
        } catch is Interrupted {
            // That is how it is meant to end.
        }
    }

    private func show(_ event: EventTeller.Event, on terminal: Terminal) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try terminal.line(
            json
                ? String(decoding: try encoder.encode(event), as: UTF8.self)
                : "\(event.time.formatted(.iso8601))  \(event.event)  \(event.account ?? "nobody")")
    }
}
