#if Tools
import ArgumentParser
import Foundation
import IdentityKit

/// `identity events`: the store, live.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print what happens in the store, from now until Ctrl-C.",
        discussion: """
            Sign-ins, renewals and sign-outs of every program that shares the store. Under load several changes of one
            account may be told as one.

            EXAMPLES
              identity events
              identity events --json | jq -r .account
            """)

    @OptionGroup var place: ConfigurationOptions

    @Flag(help: "Print one JSON document a line instead of text.")
    var json = false

    private struct Event: Encodable {
        let time: Date
        let event: String
        let account: String?
    }

    func run() async throws {
        let terminal = Terminal()
        do {
            try await ToolSession.run(place) { [self] session in
                let changes = session.store.changes()
                terminal.note("Waiting for changes. Press Ctrl-C to stop.")
                for await change in changes {
                    if let event = await event(of: change, in: session) { try show(event, on: terminal) }
                }
            }
        } catch is Interrupted {
            // That is how it is meant to end.
        }
    }

    private func event(of change: StoreChange, in session: ToolSession) async -> Event? {
        let now = Date()
        switch change.key.collection {
        case .accounts:
            guard change.hasContent else { return Event(time: now, event: "signed-out", account: change.key.name) }
            let summary = try? await session.client.accounts().first { $0.account.id == change.key.name }
            if case .ended? = summary?.session { return Event(time: now, event: "ended", account: change.key.name) }
            let isNew = change.generation == 1
            return Event(time: now, event: isNew ? "signed-in" : "session-stored", account: change.key.name)
        case .selections:
            let active = try? await session.client.account()
            return Event(time: now, event: "active-account", account: active?.id)
        default:
            return nil
        }
    }

    private func show(_ event: Event, on terminal: Terminal) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try terminal.line(
            json
                ? String(decoding: try encoder.encode(event), as: UTF8.self)
                : "\(event.time.formatted(.iso8601))  \(event.event)  \(event.account ?? "nobody")")
    }
}
#endif
