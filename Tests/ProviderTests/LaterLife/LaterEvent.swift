import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// What happens to a session after its sign-in, as the suite names it.
enum LaterEvent: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case expired = "the access token expires"
    case refused = "a resource refuses the access token"
    case rotated = "the session was refreshed before"
    case passwordChanged = "the password is changed"
    case revoked = "the session is revoked"
    case personDeleted = "the person is deleted"
    case clientDeleted = "the client is deleted"
    case serverAway = "the server is away for a while"
    case restarted = "the server is restarted"
    case forgotten = "the server is restarted and has lost everything"
    case restored = "the server is restored from a copy that is older than the last refresh"
    case clockMoved = "the clock of this machine moves ahead and back"
    case processEnded = "the process ends, and the next one asks"

    var testDescription: String { rawValue }
}

/// What a call for an access token gives then.
enum LaterAnswer: Sendable {
    /// A token that the server takes.
    case token
    /// An error.
    case error(code: String?, FailureClass, asksForSignIn: Bool, says: String = "")

    /// The session is over by the server's word.
    static func ended(_ words: String = "") -> LaterAnswer {
        .error(code: "session_ended", .definitive, asksForSignIn: true, says: words)
    }
    /// The session is kept, and a sign-in is offered.
    static let suspended = LaterAnswer.error(code: "session_suspended", .definitive, asksForSignIn: true)
    /// The session is kept, and somebody has to look at the configuration.
    static let clientRefused = LaterAnswer.error(code: "client_refused", .definitive, asksForSignIn: false)
    /// The session is kept, and is of use when the server is back.
    static let unavailable = LaterAnswer.error(code: nil, .transient, asksForSignIn: false)
}

extension LaterAnswer {
    /// What `error` is for whoever gets it.
    init(_ error: any Error) {
        let failure = error as? any IdentityFailure
        self = .error(
            code: failure?.failureCode, failure?.failureClass ?? .transient, asksForSignIn: error.asksForSignIn,
            says: failure?.message ?? "")
    }

    /// Whether it is what a row says.
    func fits(_ expected: LaterAnswer) -> Bool {
        switch (self, expected) {
        case (.token, .token): true
        case (
            .error(let code, let kind, let asks, let message),
            .error(let wanted, let wantedKind, let wantedAsks, let words)
        ):
            (wanted == nil || code == wanted) && kind == wantedKind && asks == wantedAsks
                && (words.isEmpty || message.contains(words))
        default: false
        }
    }
}

/// What the calls give at once, and a minute later.
struct LaterRow: Sendable {
    let now: LaterAnswer
    let later: LaterAnswer

    init(_ now: LaterAnswer, later: LaterAnswer? = nil) { (self.now, self.later) = (now, later ?? now) }
}

extension LaterEvent {
    /// The row of a provider; `nil` where its server knows no such event.
    func row(of provider: OutageProvider) -> LaterRow? {
        switch (self, provider) {
        case (.expired, _), (.refused, _), (.rotated, _), (.restarted, _), (.clockMoved, _), (.processEnded, _):
            LaterRow(.token)
        case (.serverAway, _): LaterRow(.unavailable, later: .token)

        // ThunderID takes no refresh token from before the change (RFC 9700 section 4.14.2 allows either).
        case (.passwordChanged, .thunderID): LaterRow(.ended())
        case (.passwordChanged, _): LaterRow(.token)

        case (.revoked, .insForge), (.personDeleted, .insForge):
            LaterRow(.ended("This account no longer exists. Sign in again."))
        case (.revoked, _), (.personDeleted, _): LaterRow(.ended("Sign in again."))

        case (.clientDeleted, .insForge): nil
        // A client that registered itself can do so again, with the next sign-in.
        case (.clientDeleted, .protectedResource), (.forgotten, .protectedResource):
            LaterRow(.clientRefused, later: .suspended)
        case (.clientDeleted, _): LaterRow(.clientRefused)

        // Its refresh tokens are signed by a key of its configuration, and nothing else is asked of them.
        case (.forgotten, .insForge), (.restored, .insForge): LaterRow(.token)
        case (.forgotten, _): LaterRow(.ended())
        // ThunderID keeps which refresh tokens were used, and this one was not.
        case (.restored, .thunderID): LaterRow(.token)
        case (.restored, _): LaterRow(.ended())
        }
    }
}
