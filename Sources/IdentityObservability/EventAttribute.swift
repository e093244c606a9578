#if Observability
import IdentityKit

/// The keys under which the facts of an event appear in the metadata of logs and in the attributes of spans.
enum EventAttribute {
    static let event = "identity.event"
    static let errorCode = "identity.error_code"
    static let seconds = "identity.duration_seconds"

    static func key(of field: EventField) -> String { "identity.\(field.rawValue)" }
}

extension EventDetails {
    /// The event's name, fields, error code and duration in seconds, with their keys. The message is not among them.
    var attributes: [(key: String, value: String)] {
        var attributes = [(key: EventAttribute.event, value: name)]
        attributes += fields.map { (EventAttribute.key(of: $0.name), $0.value) }
        if let errorCode { attributes.append((EventAttribute.errorCode, errorCode)) }
        if let duration { attributes.append((EventAttribute.seconds, "\(duration / .seconds(1))")) }
        return attributes
    }

    /// The name of the measured operation; `nil` for an event without a duration. All refreshes have the same name, whatever
    /// their outcome.
    var operation: String? {
        guard duration != nil else { return nil }
        return name.hasPrefix("refresh.") ? "identity.refresh" : "identity.\(name)"
    }
}
#endif
