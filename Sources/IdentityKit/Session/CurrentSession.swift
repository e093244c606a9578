/// The current session as one client knows it and has reported it to listeners.
///
/// Each session has a number, so that two sessions of the same person are different. A look-up, a call or a sign-out takes
/// time. Therefore, the caller first records the moment ``now``, and uses the result only if nothing newer has happened
/// since that moment.
package struct CurrentSession<Knowledge: Sendable>: Sendable {
    /// A point in the sequence of reports, sign-ins and sign-outs.
    package struct Moment: Sendable {
        fileprivate let news: Int
        fileprivate let signIns: UInt64
        fileprivate let signOuts: Int
        fileprivate let session: SessionNumber?
    }

    /// The client's knowledge of who is signed in, from the last report or update. Before the first one, it is the
    /// value that was passed to the initializer. Some clients report `nil` when nobody is signed in.
    package private(set) var known: Knowledge?
    /// The session of the last report; `nil` when nobody is signed in, or the session has no number yet.
    package private(set) var session: SessionNumber?
    /// The session that the app has shown last. The app's writes are meant for this session. The value is kept after
    /// the session ends, so that a write for somebody who has signed out never reaches the next person.
    package private(set) var shown: SessionNumber?

    private var news = 0
    private var signIns: UInt64 = 0
    private var signOuts = 0
    /// Numbers of the sign-outs that are still running locally. A look-up during a sign-out would find it half done.
    private var endings: Set<Int> = []
    /// Whether another client or process reported a change during a sign-out, so that a look-up must follow.
    private var hasMissedChange = false

    package init(_ known: Knowledge? = nil) { self.known = known }

    // MARK: News

    /// Records that `known` was reported to listeners, and that it concerns `session`.
    /// - Parameter isSignIn: whether the account signed in or was selected in this client, which makes earlier results
    ///   obsolete.
    package mutating func report(_ known: Knowledge?, of session: SessionNumber?, isSignIn: Bool = false) {
        if isSignIn { signIns += 1 }
        news += 1
        (self.known, self.session) = (known, session)
        shown = session ?? shown
    }

    /// Records a report as ``report(_:of:isSignIn:)`` does, for a client of any provider. Because some providers do not
    /// number their sessions, the client's own sign-ins are counted instead.
    package mutating func report(_ known: Knowledge, of account: AccountID?, isSignIn: Bool) {
        let number = isSignIn ? signIns + 1 : signIns
        report(known, of: account.map { SessionNumber(number, of: $0) }, isSignIn: isSignIn)
    }

    /// Records a change that is not reported to listeners, such as the number of a session that had none.
    package mutating func update(_ known: Knowledge, of session: SessionNumber? = nil) {
        self.known = known
        self.session = session ?? self.session
        shown = session ?? shown
    }

    /// Records the session that the app has shown; `nil` changes nothing.
    package mutating func show(_ session: SessionNumber?) { shown = session ?? shown }

    // MARK: Moments

    package var now: Moment { Moment(news: news, signIns: signIns, signOuts: signOuts, session: session) }

    /// Whether nothing was reported since `moment`, so that a look-up that began then has a current result.
    package func isNow(_ moment: Moment) -> Bool { news == moment.news }

    /// Whether a result about `account`, from a call that began at `moment`, still concerns the current session. `true`
    /// if nothing was reported since, or if the session is the same and nobody has signed in with this client since. If
    /// the session at `moment` had no number, only the account is compared.
    package func isStill(_ account: AccountID, since moment: Moment) -> Bool {
        if isNow(moment) { return true }
        guard signIns == moment.signIns, let session, session.account == account else { return false }
        return session == moment.session ?? session
    }

    /// Whether an account signed in or was selected in this client since `moment`.
    package func hasSignedIn(since moment: Moment) -> Bool { signIns != moment.signIns }

    /// Whether a sign-out was begun in this client since `moment`.
    package func hasSignedOut(since moment: Moment) -> Bool { signOuts != moment.signOuts }

    // MARK: Sign-outs

    /// Begins a sign-out.
    /// - Returns: the moment of the sign-out, for ``finishEnding(_:)``.
    package mutating func beginEnding() -> Moment {
        signOuts += 1
        endings.insert(signOuts)
        return now
    }

    /// Records that the sign-out that began at `moment` is done locally, or has failed. A second call does nothing.
    /// - Returns: whether the caller must look up who is signed in: no other sign-out is running, and a change was
    ///   reported during the sign-outs.
    package mutating func finishEnding(_ moment: Moment) -> Bool {
        guard endings.remove(moment.signOuts) != nil, endings.isEmpty, hasMissedChange else { return false }
        hasMissedChange = false
        return true
    }

    /// Whether to look up who is signed in, after another client or process has reported a change. During a sign-out, the
    /// look-up is postponed until the sign-out is done.
    package mutating func mayLook() -> Bool {
        hasMissedChange = !endings.isEmpty
        return !hasMissedChange
    }
}
