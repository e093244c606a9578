import Foundation
import IdentityKit
import InsForge
import TestSupport
import Testing
import ThunderID
import ThunderIDSwiftUI

/// An act of one client on the sessions of a store, as the table names it.
enum SessionAct: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case signIn = "somebody signs in"
    case signInAsAnother = "another person signs in at the same backend"
    case signInElsewhere = "another person signs in at the other backend"
    case signOut = "the person signs out"
    case end = "the server ends the session"
    case erase = "the account is erased"
    case reload = "the configuration is loaded again, with other settings of the other backend"
    case removal = "the configuration is loaded again, without the backend of the account"

    var testDescription: String { rawValue }

    /// Whether the client that is watched loads a configuration.
    var isLoading: Bool { self == .reload || self == .removal }

    /// The person whom an app of the backend alone shows afterwards.
    func shown(_ first: AccountID, _ second: AccountID) -> String? {
        switch self {
        case .signIn, .signInElsewhere, .reload, .removal: first.account
        case .signInAsAnother: second.account
        case .signOut, .end, .erase: nil
        }
    }

    /// The fate of a write for the person who was on the screen.
    enum Write { case done, refusedForAnother, refusedWithoutSession }

    var write: Write {
        switch self {
        case .signIn, .signInElsewhere, .reload, .removal: .done
        case .signInAsAnother: .refusedForAnother
        case .signOut, .end, .erase: .refusedWithoutSession
        }
    }
}

/// A client acts, and another one of the same store shows it and acts for the same account: one row for every act and
/// backend, and for a client of this process and of another. It tells this and nothing else: what it tells ends with a sign-in
/// that makes the end known. Another process does the act alone; what comes before and after it is done here.
@Suite("Everybody hears who is signed in", .endsInTime) @MainActor struct EverybodyHearsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let act: SessionAct
        let backend: TwoBackends.Backend
        let isInProcess: Bool

        var testDescription: String { "\(act.rawValue), \(backend), \(isInProcess ? "here" : "in another process")" }

        static let all = SessionAct.allCases.flatMap { act in
            TwoBackends.Backend.allCases.flatMap { backend in
                // Only a client of this process has a configuration that can be loaded again.
                (act.isLoading ? [true] : [true, false]).map { Row(act: act, backend: backend, isInProcess: $0) }
            }
        }
    }

    @Test(arguments: Row.all) func row(_ row: Row) async throws {
        let (act, backend) = (row.act, row.backend)
        let scene = try await TwoBackends()
        let (first, second) = (scene.person(.first, at: backend), scene.person(.second, at: backend))
        let (stranger, last) = (scene.person(.first, at: backend.other), scene.person(.second, at: backend.other))
        let client = try ClientActor(in: scene)
        let actor: any SessionActor = row.isInProcess ? client : try ToolActor(in: scene)
        if act != .signIn { try await client.signIn(first) }

        let store = try scene.store()
        let watcher = try scene.client(store: store)
        let view = IdentityState(watcher)
        await view.refresh()
        var (told, shown) = (Heard(watcher.events()), Heard(view.states()))
        // Nobody is told that nobody is signed in, as from the beginning.
        let before: AccountID? = act == .signIn ? nil : first.account
        let screen = try await VendorScreen(backend, in: scene, store: store)
        if act != .signIn { try await screen.show(first.account) }
        let vendor = try await VendorView(backend, in: scene, store: store)
        await vendor.shows(act == .signIn ? nil : first.account.account)

        // A later sign-in has a later time.
        scene.clock.advance(by: .seconds(1))
        var acting: AccountID?
        var news: [IdentityEvent] = [.signedOut]
        switch act {
        case .signIn, .signInAsAnother, .signInElsewhere:
            let person = act == .signIn ? first : act == .signInAsAnother ? second : stranger
            try await actor.signIn(person)
            acting = person.account
            news = [.signedIn(person.account)]
        case .signOut: try await actor.signOut()
        case .erase: try await actor.erase(first.account)
        case .end:
            scene.revoke(first.account, at: backend)
            try await actor.findEnd()
            news = [try await #require(scene.endOfSession(of: first.account))]
        case .reload:
            news = [.configurationChanged(try watcher.reload(scene.configuration(changing: backend.other)))]
            acting = first.account
        case .removal:
            news.insert(.configurationChanged(try watcher.reload(scene.configuration(without: backend))), at: 0)
        }

        // The listener.
        await told.listen(until: news.last)
        // The view model.
        let after = acting.map(IdentityState.State.signedIn) ?? .signedOut
        await shown.listen(until: after)
        #expect(view.state == after && (view.problem != nil) == (act == .end))
        // The listener and the view model of the vendor.
        let vendorShows = act.shown(first.account, second.account)
        await vendor.shows(vendorShows)
        // The next call.
        if acting != nil {
            #expect(try await watcher.accessToken() == ClientActor(in: scene).token())
        } else {
            let error = await #expect(throws: (any Error).self) { try await watcher.accessToken() }
            #expect(error?.asksForSignIn == true || error is ClientError)
        }
        // The write for the person who was shown, by the client of the vendor.
        if act == .signIn { try await screen.show(first.account) }
        #expect(await screen.write() == act.write)
        // The end mark: every event before this sign-in has been told by the time it is.
        try await client.signIn(last)
        await told.listen(until: .signedIn(last.account))
        await shown.listen(until: .signedIn(last.account))
        let signedIn = before.map { [IdentityEvent.signedIn($0)] } ?? []
        #expect(told.all == signedIn + news + [.signedIn(last.account)])
        let states = [before.map(IdentityState.State.signedIn) ?? .signedOut] + (acting == before ? [] : [after])
        #expect(shown.all == states + [.signedIn(last.account)])
        #expect(vendor.person == vendorShows)
        await scene.stop()
    }
}

/// The elements that a stream has brought, in its order.
@MainActor private struct Heard<Element: Equatable & Sendable> {
    private(set) var all: [Element] = []
    private let stream: AsyncStream<Element>.Iterator

    init(_ stream: AsyncStream<Element>) { self.stream = stream.makeAsyncIterator() }

    /// Listens until `last` has come.
    mutating func listen(until last: Element?) async {
        var stream = stream
        while all.last != last, let next = await stream.next(isolation: MainActor.shared) { all.append(next) }
    }
}

/// The part of an app that follows the client of a vendor: InsForge's listener, or ThunderID's view model.
@MainActor struct VendorView {
    private let insForge: InsForgeClient
    private let thunderID: ThunderIDState?
    private let heard = Locked<String?>(nil)

    init(_ backend: TwoBackends.Backend, in scene: TwoBackends, store: any TokenStore) async throws {
        insForge = scene.insForgeClient(store: store)
        guard backend == .thunderid else {
            thunderID = nil
            insForge.auth.setAuthStateChangeListener { [heard] session in heard.withLock { $0 = session?.user.id } }
            return
        }
        let state = ThunderIDState(client: try await scene.thunderIDClient(store: store))
        await state.start()
        thunderID = state
    }

    /// The person on the screen.
    var person: String? { thunderID.map { $0.isSignedIn ? $0.user?.sub : nil } ?? heard.withLock { $0 } }

    /// Returns once `person` is shown.
    func shows(_ person: String?) async {
        while self.person != person { await Task.yield() }
    }
}

/// A screen of an app that uses the client of a vendor.
struct VendorScreen: Sendable {
    private let backend: TwoBackends.Backend
    private let insForge: InsForgeClient
    private let thunderID: ThunderIDClient
    private let shown = Locked<SessionNumber?>(nil)

    init(_ backend: TwoBackends.Backend, in scene: TwoBackends, store: any TokenStore) async throws {
        self.backend = backend
        (insForge, thunderID) = (scene.insForgeClient(store: store), try await scene.thunderIDClient(store: store))
    }

    /// Shows who is signed in, which is `account`.
    func show(_ account: AccountID) async throws {
        switch backend {
        case .insforge:
            #expect(insForge.auth.getSession()?.user.id == account.account)
            shown.withLock { $0 = insForge.auth.sessionNumber }
        case .thunderid: #expect(try await thunderID.getUser().sub == account.account)
        }
    }

    /// Changes the profile of the person on the screen.
    func write() async -> SessionAct.Write? {
        do {
            switch backend {
            case .insforge:
                try await insForge.auth.setProfile(["name": "Shown"], of: shown.withLock { $0 })
            case .thunderid: try await thunderID.updateUserProfile(payload: ["given_name": "Shown"])
            }
            return .done
        } catch InsForgeAuthError.sessionChanged {
            return .refusedForAnother
        } catch let error as IAMError {
            return error == IAMError.sessionChanged
                ? .refusedForAnother
                : error.code == .sessionExpired ? .refusedWithoutSession : nil
        } catch InsForgeAuthError.notSignedIn, InsForgeAuthError.sessionExpired, InsForgeAuthError.userNotFound {
            return .refusedWithoutSession
        } catch {
            return nil
        }
    }
}
