import Foundation
import IdentityKit

/// The last 500 events of a server's tokens since its start, without token values, for developers.
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
    /// Returns a copy of the report with the events of the journal and an event for every expired token, newest first.
    /// - Parameter name: converts a subject identifier to the name of the person.
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
        // Sort stably, so that simultaneous events keep their order.
        copy.tokenEvents = (noted + expired).enumerated().sorted {
            ($0.element.date, $1.offset) > ($1.element.date, $0.offset)
        }.map(\.element)
        return copy
    }
}
