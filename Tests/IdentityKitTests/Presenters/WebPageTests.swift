import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// What an app needs of the system's browser sheet, with a sheet that a test closes.
@MainActor @Suite struct WebPageTests {
    private let address = URL(fileURLWithPath: "/callback")

    // MARK: The callback

    @Test(
        "A redirect URI tells how the page comes back",
        arguments: [
            ("com.example.app://callback", WebCallback.scheme("com.example.app")),
            ("COM.example.app:/callback", .scheme("com.example.app")),
            ("https://app.example.com/signed-in", .https(host: "app.example.com", path: "/signed-in")),
            ("https://app.example.com", .https(host: "app.example.com", path: "/")),
        ])
    func callbacks(redirectURI: String, expected: WebCallback) throws {
        #expect(try WebCallback(redirectURI: #require(URL(string: redirectURI))) == expected)
    }

    @Test(
        "An address no app is told of is refused",
        arguments: ["http://127.0.0.1:8080/callback", "callback", "https:///x"])
    func refusedCallbacks(redirectURI: String) throws {
        let url = try #require(URL(string: redirectURI))
        #expect(throws: WebAuthenticationError.self) { try WebCallback(redirectURI: url) }
    }

    // MARK: The life of a page

    @Test("A page that comes back is the answer")
    func comesBack() async throws {
        let page = TestPage { $0(.success(URL(fileURLWithPath: "/callback"))) }
        #expect(try await WebPageVisit.run(page.appear) == address)
        #expect(page.calls == ["start"])
    }

    @Test("A page that ends while it is opened is the answer too, and a second end counts for nothing")
    func endsEarlyAndTwice() async throws {
        let page = TestPage { end in
            end(.success(URL(fileURLWithPath: "/callback")))
            end(.failure(CancellationError()))
        }
        page.endsBeforeItIsShown = true
        #expect(try await WebPageVisit.run(page.appear) == address)
        #expect(page.calls == [])
    }

    @Test("A page that the person closes is a cancellation")
    func closed() async {
        let page = TestPage { $0(.failure(CancellationError())) }
        await #expect(throws: CancellationError.self) { try await WebPageVisit.run(page.appear) }
    }

    @Test("A page that does not appear is an error")
    func doesNotStart() async {
        let page = TestPage { _ in }
        page.appears = false
        await #expect(throws: WebAuthenticationError.notStarted) { try await WebPageVisit.run(page.appear) }
    }

    @Test("A cancelled task takes the page away and waits for nobody")
    func cancelled() async {
        let page = TestPage { _ in }
        let visit = Task { try await WebPageVisit.run(page.appear) }
        await page.shown()
        visit.cancel()
        await #expect(throws: CancellationError.self) { try await visit.value }
        await page.takenAway()
        #expect(page.calls == ["start", "cancel"])
    }

    @Test("A task that was cancelled before shows nothing")
    func cancelledBefore() async {
        let page = TestPage { _ in }
        let visit = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await WebPageVisit.run(page.appear)
        }
        await #expect(throws: CancellationError.self) { try await visit.value }
        #expect(!page.calls.contains("start"))
    }

    @Test("Nothing retains a page that has ended")
    func released() async throws {
        let ended = try await endedPage()
        #expect(ended.page == nil)
    }

    private struct EndedPage {
        weak var page: TestPage?
    }

    private func endedPage() async throws -> EndedPage {
        let page = TestPage { $0(.success(URL(fileURLWithPath: "/callback"))) }
        _ = try await WebPageVisit.run(page.appear)
        return EndedPage(page: page)
    }

    @Test("Without a window nothing is shown")
    func noWindow() async {
        await #expect(throws: WebAuthenticationError.noWindow) {
            try await WebPageVisit.run { _ in throw WebAuthenticationError.noWindow }
        }
    }
}

/// A page that does what a test says.
@MainActor
private final class TestPage: WebPage {
    private let whenShown: (@escaping @Sendable (WebPageResult) -> Void) -> Void
    private var end: @Sendable (WebPageResult) -> Void = { _ in }
    private let calledNames = AsyncStream<String>.makeStream()
    private(set) var calls: [String] = []
    var appears = true
    var endsBeforeItIsShown = false

    init(_ whenShown: @escaping (@escaping @Sendable (WebPageResult) -> Void) -> Void) {
        self.whenShown = whenShown
    }

    func appear(_ end: @escaping @Sendable (WebPageResult) -> Void) -> any WebPage {
        self.end = end
        if endsBeforeItIsShown { whenShown(end) }
        return self
    }

    func start() -> Bool {
        note("start")
        whenShown(end)
        return appears
    }

    func cancel() { note("cancel") }

    func shown() async { await wait(for: "start") }
    func takenAway() async { await wait(for: "cancel") }

    private func note(_ call: String) {
        calls.append(call)
        calledNames.continuation.yield(call)
    }

    private func wait(for call: String) async {
        for await name in calledNames.stream where name == call { return }
    }
}
