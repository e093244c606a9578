/// The current session as one client knows it and has told of it. Each client has one, and nothing beside it says who is
/// signed in.
///
/// Sessions are told apart by their numbers: the next one of the same person is another. A look, a call or a sign-out takes
/// time, so each begins by taking the moment ``now``, and its result counts only as far as nothing newer has happened since.
package struct CurrentSession<Knowledge: Sendable>: Sendable {
    /// A moment between two news.
    package struct Moment: Sendable {
        fileprivate let news: Int
        fileprivate let signIns: UInt64
        fileprivate let signOuts: Int
        fileprivate let session: SessionNumber?
    }

    /// The client's last news of the session; `nil` for nobody, or when nothing was told yet.
    package private(set) var known: Knowledge?
    /// The session that the last news was about; `nil` for none, and for one that has no number yet.
    package private(set) var session: SessionNumber?
    /// The session that the app was shown last, whom its writes are meant for. It outlives the session, so that a write for
    /// somebody who has signed out never reaches the next person.
    package private(set) var shown: SessionNumber?

    private var news = 0
    private var signIns: UInt64 = 0
    private var signOuts = 0
    /// The sign-outs that are not over here yet. Until they are, a look would find the half of it.
    private var endings: Set<Int> = []
    /// Whether somebody has signed in or out elsewhere meanwhile.
    private var hasMissedChange = false

    package init(_ known: Knowledge? = nil) { self.known = known }

    // MARK: News

    /// Notes what listeners are told: `known`, about `session`.
    /// - Parameter isSignIn: whether the session began here, so that what was found out before is old.
    package mutating func report(_ known: Knowledge?, of session: SessionNumber?, isSignIn: Bool = false) {
        if isSignIn { signIns += 1 }
        news += 1
        (self.known, self.session) = (known, session)
        shown = session ?? shown
    }

    /// ``report(_:of:isSignIn:)`` for a client of any provider. A provider may number no sessions, so the client's own sign-ins
    /// do.
    package mutating func report(_ known: Knowledge, of account: AccountID?, isSignIn: Bool) {
        let number = isSignIn ? signIns + 1 : signIns
        report(known, of: account.map { SessionNumber(number, of: $0) }, isSignIn: isSignIn)
    }

    /// Notes something about the session that is no news to listeners, such as the number of one without.
    package mutating func update(_ known: Knowledge, of session: SessionNumber? = nil) {
        self.known = known
        self.session = session ?? self.session
        shown = session ?? shown
    }

    /// Notes whose session the app has seen.
    package mutating func show(_ session: SessionNumber?) { shown = session ?? shown }

    // MARK: Moments

    package var now: Moment { Moment(news: news, signIns: signIns, signOuts: signOuts, session: session) }

    /// Whether nothing was told since `moment`, so that what a look has found is newer.
    package func isNow(_ moment: Moment) -> Bool { news == moment.news }

    /// Whether what was found of `account` since `moment` is about the current session, or nothing was told since.
    package func isStill(_ account: AccountID, since moment: Moment) -> Bool {
        if isNow(moment) { return true }
        guard signIns == moment.signIns, let session, session.account == account else { return false }
        return session == moment.session ?? session
    }

    /// Whether a sign-in was completed here since `moment`.
    package func hasSignedIn(since moment: Moment) -> Bool { signIns != moment.signIns }

    /// Whether a sign-out was begun here since `moment`.
    package func hasSignedOut(since moment: Moment) -> Bool { signOuts != moment.signOuts }

    // MARK: Sign-outs

    /// Begins a sign-out.
    /// - Returns: its moment, for ``finishEnding(_:)``.
    package mutating func beginEnding() -> Moment {
        signOuts += 1
        endings.insert(signOuts)
        return now
    }

    /// Notes that the sign-out of `moment` is over here, or could not be done. A second call does nothing.
    /// - Returns: whether to look who is signed in, because of a change that was heard meanwhile.
    package mutating func finishEnding(_ moment: Moment) -> Bool {
        guard endings.remove(moment.signOuts) != nil, endings.isEmpty, hasMissedChange else { return false }
        hasMissedChange = false
        return true
    }

    /// Whether to look who is signed in after a change elsewhere. During a sign-out the look has to wait for its end.
    package mutating func mayLook() -> Bool {
        hasMissedChange = !endings.isEmpty
        return !hasMissedChange
    }
}
