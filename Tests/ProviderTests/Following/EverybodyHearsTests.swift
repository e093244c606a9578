import Foundation
import IdentityKit
import InsForge
import TestSupport
import Testing
import ThunderID

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
/// backend.
@Suite("Everybody hears who is signed in", .endsInTime) @MainActor struct EverybodyHearsTests {
    @Test(arguments: SessionAct.allCases, TwoBackends.Backend.allCases)
    func row(act: SessionAct, backend: TwoBackends.Backend) async throws {
        let scene = try await TwoBackends()
        let (first, second) = (scene.person(.first, at: backend), scene.person(.second, at: backend))
        let stranger = scene.person(.first, at: backend.other)
        let actor = try scene.client()
        if act != .signIn { try await scene.signIn(first, with: actor) }

        let store = try scene.store()
        let watcher = try scene.client(store: store)
        let view = IdentityState(watcher)
        await view.refresh()
        let before = view.state
        #expect(before.account == (act == .signIn ? nil : first.account))
        var (events, states) = (watcher.events().makeAsyncIterator(), view.states().makeAsyncIterator())
        let screen = try await VendorScreen(backend, in: scene, store: store)
        if act != .signIn { try await screen.show(first.account) }

        // A later sign-in has a later time.
        scene.clock.advance(by: .seconds(1))
        var acting: AccountID?
        switch act {
        case .signIn, .signInAsAnother, .signInElsewhere:
            let person = act == .signIn ? first : act == .signInAsAnother ? second : stranger
            try await scene.signIn(person, with: actor)
            acting = person.account
        case .signOut: try await actor.signOut()
        case .erase: try await actor.eraseAccount(first.account)
        case .end:
            scene.revoke(first.account, at: backend)
            scene.clock.advance(by: .seconds(3600))
            // Asked twice, as after any refusal.
            _ = try? await actor.accessToken()
            await #expect(throws: SessionError.self) { try await actor.accessToken() }
        case .reload:
            try watcher.reload(scene.configuration(changing: backend.other))
            acting = first.account
        case .removal: try watcher.reload(scene.configuration(without: backend))
        }

        // The listener.
        while let event = await events.next() {
            if Self.isNews(event, of: act, acting) { break }
        }
        // The view model.
        while let state = await states.next(), state.account != acting || state == .unknown {}
        #expect(view.state == acting.map { .signedIn($0) } ?? .signedOut)
        #expect((view.problem != nil) == (act == .end))
        // The next call.
        if let acting {
            #expect(try await watcher.accessToken() == actor.accessToken(for: acting))
        } else {
            let error = await #expect(throws: (any Error).self) { try await watcher.accessToken() }
            #expect(error?.asksForSignIn == true || error is ClientError)
        }
        // The write for the person who was shown, by the client of the vendor.
        if act == .signIn { try await screen.show(first.account) }
        #expect(await screen.write() == act.write)
        await scene.stop()
    }

    /// Whether `event` is what listeners are to hear of `act`.
    private static func isNews(_ event: IdentityEvent, of act: SessionAct, _ acting: AccountID?) -> Bool {
        switch (act, event) {
        case (.reload, .configurationChanged), (.end, .sessionEnded): true
        case (.signIn, .signedIn(let account)), (.signInAsAnother, .signedIn(let account)),
            (.signInElsewhere, .signedIn(let account)):
            account == acting
        case (.signOut, .signedOut), (.erase, .signedOut), (.removal, .signedOut): true
        default: false
        }
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
        var options = InsForgeClientOptions(
            auth: .init(storage: SharedAuthStorage(store)),
            global: .init(allowsLoopbackHTTP: true, logDestination: .none))
        options.time = scene.clock.dates
        insForge = InsForgeClient(baseURL: scene.insForge.url, anonKey: scene.insForge.anonKey, options: options)
        thunderID = ThunderIDClient(environment: IdentityEnvironment(store: store, time: scene.clock.dates))
        try await thunderID.initialize(
            config: ThunderIDConfig(
                baseUrl: scene.thunderID.url.absoluteString, clientId: scene.thunderID.application.clientID,
                scopes: ["openid", "profile", "email"],
                afterSignInUrl: scene.thunderID.application.redirectURIs.first, allowsLoopbackHTTP: true))
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
