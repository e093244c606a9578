import Foundation
import IdentityKit

/// Events of a server's tokens, without their values: for developers. It begins anew with each start.
final class TokenJournal: Sendable {
    private let kept = Locked(Recent<LocalServerReport.TokenEvent>(500))

    var events: [LocalServerReport.TokenEvent] { kept.withLock { $0.values } }

    func note(
        _ kind: LocalServerReport.TokenEvent.Kind, at date: Date, client: String? = nil, person: String? = nil,
        reason: String? = nil
    ) {
        let event = LocalServerReport.TokenEvent(
            kind: kind, date: date, client: client, person: person, reason: reason)
        kept.withLock { $0.append(event) }
    }
}

extension LocalServerReport {
    /// Adds token events to the report: those of the journal, and the tokens whose time is over.
    /// - Parameter name: what the person with a subject identifier is called.
    func withEvents(of journal: TokenJournal, at now: Date, name: (String) -> String) -> LocalServerReport {
        let noted = journal.events.reversed().map { event in
            var event = event
            event.person = event.person.map(name)
            return event
        }
        let expired = tokens.filter { $0.expiresAt <= now && $0.state == .expired }.map { token in
            TokenEvent(
                kind: .expired, date: token.expiresAt, client: token.client, person: token.person,
                reason: "the \(token.kind.rawValue) token's time is over")
        }
        var copy = self
        // Events of one moment stay in their order.
        copy.tokenEvents = (noted + expired).enumerated().sorted {
            ($0.element.date, $1.offset) > ($1.element.date, $0.offset)
        }.map(\.element)
        return copy
    }
}
