import Foundation
import IdentityKit

/// The sign-in sessions of browsers, which a cookie identifies, and the consents that users gave to clients.
final class OpenIDSessions: Sendable {
    struct Session: Codable, Sendable {
        let userID: String
        let authenticatedAt: Date
    }

    private struct State: Sendable {
        var sessions: [String: Session] = [:]
        /// The scopes that users granted to clients. Each key consists of the user's identifier and the client's identifier.
        var consents: [[String]: Set<String>] = [:]
    }

    static let cookieName = "openid_session"

    struct Saved: Codable, Sendable {
        fileprivate struct Consent: Codable, Sendable {
            let userID: String
            let clientID: String
            let scopes: [String]
        }

        fileprivate let sessions: [String: Session]
        fileprivate let consents: [Consent]
    }

    private let state: Locked<State>
    private let lifetime: Duration
    private let time: TimeSource

    /// - Parameter saved: the sessions and consents of an earlier run of the server; `nil` for none.
    init(lifetime: Duration, restoring saved: Saved? = nil, time: TimeSource) {
        let consents = (saved?.consents ?? []).map { ([$0.userID, $0.clientID], Set($0.scopes)) }
        state = Locked(State(sessions: saved?.sessions ?? [:], consents: Dictionary(consents) { $1 }))
        self.lifetime = lifetime
        self.time = time
    }

    /// The unexpired sessions and all consents, to save for the next start.
    var saved: Saved {
        let now = time.now
        return state.withLock { state in
            Saved(
                sessions: state.sessions.filter { now < $0.value.authenticatedAt + lifetime.timeInterval },
                consents: state.consents.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                    .map { Saved.Consent(userID: $0.key[0], clientID: $0.key[1], scopes: $0.value.sorted()) })
        }
    }

    func end(ofUser id: String) {
        state.withLock { state in state.sessions = state.sessions.filter { $0.value.userID != id } }
    }

    func session(of request: LocalRequest) -> Session? {
        guard let id = request.cookies(Self.cookieName).first, let session = state.withLock({ $0.sessions[id] }),
            time.now < session.authenticatedAt + lifetime.timeInterval
        else { return nil }
        return session
    }

    /// Starts a session, and removes expired ones.
    /// - Returns: the session, and the `Set-Cookie` value for the browser.
    func begin(userID: String) -> (session: Session, cookie: String) {
        let id = LocalIdentifiers.hex(byteCount: 16)
        let now = time.now
        let session = Session(userID: userID, authenticatedAt: now)
        state.withLock { state in
            state.sessions = state.sessions.filter { now < $1.authenticatedAt + lifetime.timeInterval }
            state.sessions[id] = session
        }
        return (session, "\(Self.cookieName)=\(id); Path=/; HttpOnly; SameSite=Lax")
    }

    /// Ends the session of the browser that sent `request`, and all sessions of `userID` if it is not `nil`.
    func end(_ request: LocalRequest, userID: String?) {
        let id = request.cookies(Self.cookieName).first
        state.withLock { state in
            state.sessions = state.sessions.filter { $0.key != id && $0.value.userID != userID }
        }
    }

    func consent(ofUser userID: String, clientID: String) -> Set<String> {
        state.withLock { $0.consents[[userID, clientID]] ?? [] }
    }

    func remember(_ scopes: [String], ofUser userID: String, clientID: String) {
        state.withLock { $0.consents[[userID, clientID], default: []].formUnion(scopes) }
    }
}
