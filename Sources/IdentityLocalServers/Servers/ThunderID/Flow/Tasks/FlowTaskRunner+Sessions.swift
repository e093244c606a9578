import Foundation
import IdentityKit

/// The single sign-on sessions. A browser keeps a session's handle in a cookie, which is named after the sign-in flow. A
/// session does not expire.
final class SingleSignOnSessions: Sendable {
    struct Session: Codable, Sendable {
        let userID: String
        let authenticators: [JSONValue]
        let authenticatedAt: Date
        let selectedClass: String?
    }

    /// The identifier of the built-in sign-in flow, from which the cookie's name is derived.
    private static let flowID = "01900000-0000-7000-8000-000000000061"

    static let cookieName = "tid_sso_" + LocalIdentifiers.hex(sha256(Data(flowID.utf8))).prefix(16)

    private let sessions: Locked<[String: Session]>

    /// - Parameter saved: the sessions of an earlier run of the server; `nil` for none.
    init(restoring saved: [String: Session]? = nil) { sessions = Locked(saved ?? [:]) }

    var saved: [String: Session] { sessions.withLock { $0 } }

    func session(_ handle: String?) -> Session? { handle.flatMap { handle in sessions.withLock { $0[handle] } } }

    /// Stores a session and returns its handle.
    func open(_ session: Session) -> String {
        let handle = LocalIdentifiers.base64URL(byteCount: 32)
        sessions.withLock { $0[handle] = session }
        return handle
    }

    func close(_ handle: String?) { if let handle { sessions.withLock { _ = $0.removeValue(forKey: handle) } } }

    var count: Int { sessions.withLock { $0.count } }
}

extension FlowTaskRunner {
    /// Signs in the user of the browser's session. Fails without a session, and for an inactive user (`FET-1081`).
    func checkSession(_ execution: inout FlowExecution) -> Outcome {
        guard let session = sessions.session(execution.caller.sessionHandle),
            users.user(id: session.userID)?.isActive == true
        else { return .failure(.noSession) }
        execution.userID = session.userID
        execution.authenticators = session.authenticators
        execution.authenticatedAt = session.authenticatedAt
        execution.selectedClass = session.selectedClass
        return .success
    }

    /// Opens a session after a sign-in. If the person signed in through an existing session, no other session is
    /// opened.
    func keepSession(_ execution: inout FlowExecution) -> Outcome {
        guard execution.authenticatedAt == nil, let userID = execution.userID else { return .success }
        execution.authenticatedAt = time.now
        let handle = sessions.open(
            .init(
                userID: userID, authenticators: execution.authenticators, authenticatedAt: time.now,
                selectedClass: execution.selectedClass))
        execution.sessionChange = .set(handle: handle)
        return .success
    }

    /// Asks for a confirmation if configured, then ends the browser's session, if there is one, and deletes the cookie.
    func endSession(
        _ execution: inout FlowExecution, _ confirmation: LocalThunderIDServer.SignOutConfirmation
    ) -> Outcome {
        let asks =
            switch confirmation {
            case .never: false
            case .withoutHint: !execution.demands.isSignOutHinted
            case .always: true
            }
        if asks, !execution.hasAskedToSignOut {
            execution.hasAskedToSignOut = true
            return .needs([])
        }
        sessions.close(execution.caller.sessionHandle)
        execution.sessionChange = .clear
        return .success
    }
}
