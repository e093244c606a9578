/// The description of an event, equal in logs, metrics and traces, and in the output of `identity events`.
///
/// An event has no secret. The fields `account`, `resource` and `grant` have any number of values: they belong in logs and
/// traces, and never in the dimensions of a metric.
public struct EventDetails: Sendable, Equatable, CustomStringConvertible {
    /// A stable name such as `session.refreshed`.
    public let name: String
    /// The level to log the event at.
    public let level: EventLevel
    /// The text to log.
    public let message: String
    /// The facts of the event, in the order in which to show them.
    public let fields: [Field]
    /// How long it took by the environment's clock, where that was measured.
    public let duration: Duration?
    /// The stable code of the error, if there was one; see ``/IdentityCore/IdentityFailure/failureCode``.
    public let errorCode: String?

    package init(
        name: String, level: EventLevel, message: String, fields: [Field] = [], duration: Duration? = nil,
        errorCode: String? = nil
    ) {
        (self.name, self.level, self.message, self.fields) = (name, level, message, fields)
        (self.duration, self.errorCode) = (duration, errorCode)
    }

    /// The value of a field; `nil` where the event has none with this name.
    public subscript(_ name: Field.Name) -> String? { fields.first { $0.name == name }?.value }

    public var description: String { message }

    /// A fact of an event.
    public struct Field: Sendable, Equatable {
        public let name: Name
        public let value: String

        package init(_ name: Name, _ value: String) { (self.name, self.value) = (name, value) }

        /// The names of fields. The names of a program's own providers and accounts are values.
        public enum Name: String, Sendable, CaseIterable {
            /// The name of the provider: of the event's account, or of the attempt.
            case provider
            /// The identifier of the account; see ``/IdentityCore/AccountID/id``.
            case account
            /// The library whose session was taken over.
            case source
            /// The collection of the store's record.
            case collection
            /// The resource whose token is refreshed, without query; none for the session's own token.
            case resource
            /// The further authorization whose refresh token is used, by a name without meaning; none for a session's first one.
            case grant
        }
    }
}

extension EventDetails.Field {
    /// The fields of an account; none without one.
    package static func naming(_ account: AccountID?) -> [Self] {
        account.map { [Self(.provider, $0.realm), Self(.account, $0.id)] } ?? []
    }

    /// The fields of a resource and of a further grant; none without them.
    static func naming(resource: String?, grant: String?) -> [Self] {
        (resource.map { [Self(.resource, $0.addressAlone)] } ?? []) + (grant.map { [Self(.grant, $0)] } ?? [])
    }
}
