import Foundation
import IdentityKit
import TestSupport
import Testing

/// The current session as a client knows it and has told of it.
@Suite struct CurrentSessionTests {
    private typealias Session = CurrentSession<String>

    private static let ada = AccountID(account: "ada", realm: "work")
    private static let bob = AccountID(account: "bob", realm: "work")
    private static let first = SessionNumber(5, of: ada)
    private static let again = SessionNumber(7, of: ada)
    private static let other = SessionNumber(5, of: bob)

    /// Events while a call of ada's first session runs.
    enum Meanwhile: String, CaseIterable {
        case nothing, news = "news of the same session", signInHere = "ada signs in again here"
        case signInElsewhere = "ada signs in again elsewhere", another = "bob signs in", signOut = "ada signs out"
    }

    @Test("A late call counts for the session that it is of, and for no newer one", arguments: Meanwhile.allCases)
    func lateCall(meanwhile: Meanwhile) {
        var session = Session()
        session.report("ada", of: Self.first)
        let moment = session.now
        switch meanwhile {
        case .nothing: session.update("ada, renamed")
        case .news: session.report("ada is suspended", of: Self.first)
        case .signInHere: session.report("ada", of: Self.again, isSignIn: true)
        case .signInElsewhere: session.report("ada", of: Self.again)
        case .another: session.report("bob", of: Self.other)
        case .signOut: session.report(nil, of: nil)
        }
        #expect(session.isNow(moment) == (meanwhile == .nothing))
        #expect(session.isStill(Self.ada, since: moment) == [.nothing, .news].contains(meanwhile))
        #expect(session.hasSignedIn(since: moment) == (meanwhile == .signInHere))
    }

    @Test("A session that was told of without a number is the same once it has one")
    func unnumbered() {
        var session = Session()
        session.report("ada", of: nil)
        let moment = session.now
        session.update("ada", of: Self.first)
        #expect(session.isNow(moment) && session.isStill(Self.ada, since: moment))
        #expect(session.session == Self.first && session.shown == Self.first)
    }

    @Test("A change during a sign-out is looked at once all sign-outs are over, and once")
    func missedChange() {
        var session = Session()
        let before = session.mayLook()
        let (one, two) = (session.beginEnding(), session.beginEnding())
        let during = session.mayLook()
        let looks = [one, one, two, two].map { session.finishEnding($0) }
        #expect(before && !during && looks == [false, false, true, false])
        let quiet = session.beginEnding()
        let isMissed = session.finishEnding(quiet)
        #expect(!isMissed && session.hasSignedOut(since: one) && !session.hasSignedOut(since: quiet))
    }

    @Test("The session that was shown outlives its end, until another one is shown")
    func shown() {
        var session = Session()
        session.report("ada", of: Self.first)
        session.report(nil, of: nil)
        #expect(session.known == nil && session.session == nil && session.shown == Self.first)
        session.show(nil)
        #expect(session.shown == Self.first)
        session.show(Self.other)
        #expect(session.shown == Self.other && session.session == nil)
    }

    @Test("A client of any provider numbers sessions by its own sign-ins")
    func ownNumbers() {
        var session = Session()
        session.report("ada", of: Self.ada, isSignIn: false)
        let found = session.session
        session.report("ada is suspended", of: Self.ada, isSignIn: false)
        #expect(session.session == found)
        session.report("ada", of: Self.ada, isSignIn: true)
        #expect(session.session?.account == Self.ada && session.session != found)
    }

    @Test("Each client has one, and keeps no number of a session beside it")
    func onePlace() throws {
        let clients = try SourceFiles.places(of: #"(?:var|let) \w+ = (?:Locked<\[String: )?CurrentSession"#)
        // A computed property has a brace behind its type.
        let stored = #"(?m)^ +[a-z() ]*(?:var|let) \w+ *[:=][^{}\n]*SessionNumber[^{}\n]*$"#
        let numbers = Set(try SourceFiles.places(of: stored))
        #expect(
            clients == [
                "Sources/IdentityKit/Client/ClientState.swift", "Providers/InsForge/Client/InsForgeAuthClient.swift",
                "Providers/ThunderID/Client/ClientSessions.swift",
            ])
        // A form keeps the number of the person whom it shows.
        #expect(
            numbers == [
                "Sources/IdentityKit/Session/CurrentSession.swift",
                "Sources/IdentityKit/Session/SessionChangedError.swift",
                "Providers/ThunderIDSwiftUI/User/ProfileForm.swift",
            ])
    }
}
