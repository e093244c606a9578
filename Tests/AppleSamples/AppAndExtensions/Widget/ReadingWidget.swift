#if canImport(WidgetKit)
import AppAndExtensionsShared
import IdentityKit
import SwiftUI
import WidgetKit

@main
@available(visionOS 26.0, *)
struct ReadingWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "com.example.reading.list", provider: ReadingTimeline()) {
            ReadingEntryView(entry: $0)
        }
        .configurationDisplayName("Reading list")
        .description("What to read next.")
    }
}

// snippet: a-timeline
@available(visionOS 26.0, *)
struct ReadingEntry: TimelineEntry {
    enum Content {
        case titles([String])
        case signedOut
        case notNow
    }

    let date: Date
    let content: Content
}

@available(visionOS 26.0, *)
struct ReadingTimeline: TimelineProvider {
    func placeholder(in context: Context) -> ReadingEntry {
        ReadingEntry(date: Date(), content: .notNow)
    }

    func getSnapshot(in context: Context, completion: @escaping @Sendable (ReadingEntry) -> Void) {
        Task { completion(await Self.entry()) }
    }

    func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<ReadingEntry>) -> Void) {
        Task {
            let next = Date(timeIntervalSinceNow: 60 * 60)
            completion(Timeline(entries: [await Self.entry()], policy: .after(next)))
        }
    }

    static func entry() async -> ReadingEntry {
        let now = Date()
        do {
            let list = try ReadingList()
            // Nothing is shown to anybody: without a session the widget says so, and a tap opens the app.
            guard try await list.client.account() != nil else { return ReadingEntry(date: now, content: .signedOut) }
            return ReadingEntry(date: now, content: .titles(try await list.titles()))
        } catch let failure as any IdentityFailure where failure.asksForSignIn {
            return ReadingEntry(date: now, content: .signedOut)
        } catch {
            // No network, or a device that was not unlocked since it started: nobody is signed out by that.
            return ReadingEntry(date: now, content: .notNow)
        }
    }
}
// end snippet

@available(visionOS 26.0, *)
struct ReadingEntryView: View {
    let entry: ReadingEntry

    var body: some View {
        switch entry.content {
        case .titles(let titles): Text(verbatim: titles.first ?? "Nothing to read")
        // A widget draws one moment, in which no view follows a session. It has the screen's words, and a tap opens the app.
        case .signedOut: Text(verbatim: ScreenTexts.best(for: Locale.preferredLanguages).text(.signIn))
        case .notNow: Text("Reading list")
        }
    }
}
#endif
