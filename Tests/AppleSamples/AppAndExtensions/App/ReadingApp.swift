import AppAndExtensionsShared
import IdentityKit
import IdentitySwiftUI
import SwiftUI

#if os(iOS) || os(tvOS) || os(visionOS)
import BackgroundTasks
#endif
#if canImport(WidgetKit)
import WidgetKit
#endif

// snippet: refreshing-in-the-background
@main
struct ReadingApp: App {
    static let refreshTask = "com.example.reading.refresh"

    @State private var list = Result { try ReadingApp.makeList() }

    var body: some Scene {
        #if os(macOS)
        WindowGroup { ContentView(list: list) }
        #else
        WindowGroup { ContentView(list: list) }
            .backgroundTask(.appRefresh(Self.refreshTask)) { await ReadingApp.refresh() }
        #endif
    }

    /// Refreshes the session when it has to be, so that the widget finds a token that is good for a while.
    static func refresh() async {
        scheduleRefresh()
        do {
            _ = try await makeList().client.accessToken()
            reloadWidgets()
        } catch {
            // Nobody is signed in, or there is no network, or the device is locked: the next time will do.
        }
    }
}
// end snippet

extension ReadingApp {
    static func makeList() throws -> ReadingList {
        try ReadingList(browser: DefaultWebAuthenticator.ofThisSystem)
    }

    // snippet: asking-for-time-in-the-background
    /// Asks for some time in the background, not before an hour has passed. Only one request waits at a time.
    static func scheduleRefresh() {
        #if os(iOS) || os(tvOS) || os(visionOS)
        let request = BGAppRefreshTaskRequest(identifier: refreshTask)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
        try? BGTaskScheduler.shared.submit(request)
        #endif
    }
    // end snippet

    // snippet: telling-the-widget
    /// Lets the widgets show who is signed in now.
    static func reloadWidgets() {
        #if canImport(WidgetKit)
        #if os(visionOS)
        guard #available(visionOS 26.0, *) else { return }
        #endif
        WidgetCenter.shared.reloadAllTimelines()
        #endif
    }
    // end snippet
}

struct ContentView: View {
    let list: Result<ReadingList, any Error>

    var body: some View {
        switch list {
        case .success(let list):
            // snippet: a-look-of-ones-own
            ListView(list: list)
                .signInTheme(SignInTheme(tint: Color(red: 0.4, green: 0.2, blue: 0.6), cornerRadius: 12, width: 400))
        // end snippet
        case .failure(let error): Text(error.localizedDescription)
        }
    }
}

// snippet: looking-again-in-front
struct ListView: View {
    let list: ReadingList
    @StateObject private var session: IdentityState
    @Environment(\.scenePhase) private var phase
    @State private var page: URL?

    init(list: ReadingList) {
        self.list = list
        _session = StateObject(wrappedValue: IdentityState(list.client))
    }

    var body: some View {
        IdentityView(list.client) { _ in TitlesView(list: list, page: page) }
            .task(id: phase) {
                switch phase {
                // An extension may have noticed the end of the session, and the device may have been locked.
                case .active: await session.refresh()
                case .background: ReadingApp.scheduleRefresh()
                default: break
                }
            }
            .task(id: session.state) { ReadingApp.reloadWidgets() }
            .onOpenURL { address in page = address }
    }
}
// end snippet

struct TitlesView: View {
    let list: ReadingList
    let page: URL?
    @State private var titles: [String] = []

    var body: some View {
        ForEach(titles, id: \.self) { Text(verbatim: $0) }
            .task { titles = (try? await list.titles()) ?? titles }
        SessionBanner(list.client)
        AccountButton(list.client)
        if let page { Text(verbatim: page.absoluteString) }
    }
}
