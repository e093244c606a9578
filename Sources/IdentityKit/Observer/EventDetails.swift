/// The description of an ``ObservedEvent`` or of an `AccountChange`, for this package's observers and for `identity events`.
package struct EventDetails: Sendable {
    /// A fact about an event: a fixed name, and a value.
    package typealias Field = (name: EventField, value: String)

    package let name: String
    package let level: EventLevel
    /// Text for a log, without secrets.
    package let message: String
    /// The facts of the event, in display order.
    package let fields: [Field]
    package let duration: Duration?
    package let errorCode: String?

    init(
        name: String, level: EventLevel, message: String, fields: [Field], duration: Duration? = nil,
        errorCode: String? = nil
    ) {
        (self.name, self.level, self.message, self.fields) = (name, level, message, fields)
        (self.duration, self.errorCode) = (duration, errorCode)
    }

    /// The value of the field; `nil` when the event has no field of that name.
    package subscript(_ name: EventField) -> String? { fields.first { $0.name == name }?.value }
}
