#if Tools
import Foundation
import IdentityKit

/// Who is signed in at the server itself, by the browser's cookie, and what they agreed to.
final class OpenIDSessions: Sendable {
    struct Session: Sendable {
        let userID: String
        let authenticatedAt: Date
    }

    private struct State: Sendable {
        var sessions: [String: Session] = [:]
        /// The scopes a user granted a client before, by both their identifiers.
        var consents: [[String]: Set<String>] = [:]
    }

    static let cookieName = "openid_session"

    private let state = Locked(State())
    private let lifetime: Duration
    private let time: TimeSource

    init(lifetime: Duration, time: TimeSource) {
        self.lifetime = lifetime
        self.time = time
    }

    /// The session of the browser that asks.
    func session(of request: LocalRequest) -> Session? {
        guard let id = cookie(of: request), let session = state.withLock({ $0.sessions[id] }),
            time.now < session.authenticatedAt + lifetime.timeInterval
        else { return nil }
        return session
    }

    /// Starts a session.
    /// - Returns: it, and the cookie's text.
    func begin(userID: String) -> (session: Session, cookie: String) {
        let id = LocalIdentifiers.hex(byteCount: 16)
        let session = Session(userID: userID, authenticatedAt: time.now)
        state.withLock { $0.sessions[id] = session }
        return (session, "\(Self.cookieName)=\(id); Path=/; HttpOnly; SameSite=Lax")
    }

    /// Ends the session of the browser that asks, and every session of `userID`.
    func end(_ request: LocalRequest, userID: String?) {
        let id = cookie(of: request)
        state.withLock { state in
            state.sessions = state.sessions.filter { $0.key != id && $0.value.userID != userID }
        }
    }

    func removeAll() {
        state.withLock { $0.sessions = [:] }
    }

    /// What this user granted this client before.
    func consent(ofUser userID: String, clientID: String) -> Set<String> {
        state.withLock { $0.consents[[userID, clientID]] ?? [] }
    }

    func remember(_ scopes: [String], ofUser userID: String, clientID: String) {
        state.withLock { $0.consents[[userID, clientID], default: []].formUnion(scopes) }
    }

    private func cookie(of request: LocalRequest) -> String? {
        let pairs = (request.header("Cookie") ?? "").split(separator: ";")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        return pairs.first { $0.hasPrefix(Self.cookieName + "=") }
            .map { String($0.dropFirst(Self.cookieName.count + 1)) }
    }
}
#endif
