/// The description of an event, the same in logs, metrics and traces and in the output of `identity events`.
///
/// Events contain no secrets. The values of the fields `account`, `resource` and `grant` are unlimited in number, so
/// use them in logs and traces, but never as dimensions of a metric.
public struct EventDetails: Sendable, Equatable, CustomStringConvertible {
    /// A stable name such as `session.refreshed`.
    public let name: String
    /// The level to log the event at: `debug`, `info` or `warning`.
    public let level: EventLevel
    /// Text for a log, without secrets.
    public let message: String
    /// The facts of the event, in display order.
    public let fields: [Field]
    /// How long the event took by the environment's clock; `nil` if that was not measured.
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

    /// The value of the field; `nil` when the event has no field of that name.
    public subscript(_ name: Field.Name) -> String? { fields.first { $0.name == name }?.value }

    public var description: String { message }

    /// A fact about an event, such as the account or the resource: a fixed name, and a value.
    public struct Field: Sendable, Equatable {
        public let name: Name
        public let value: String

        package init(_ name: Name, _ value: String) { (self.name, self.value) = (name, value) }

        /// The fixed names of fields. The names of a program's own providers and accounts occur only as values.
        public enum Name: String, Sendable, CaseIterable {
            /// The name of the provider that the event's account belongs to, or that a chain has tried.
            case provider
            /// The identifier of the account; see ``/IdentityCore/AccountID/id``.
            case account
            /// The name of the library whose session was to be imported, whether or not the import succeeded.
            case source
            /// The collection of the store that a store event concerns, such as `accounts`.
            case collection
            /// The resource whose token the event concerns; absent for the session's own token. The address is shown
            /// without user name, password, query and fragment.
            case resource
            /// The opaque identifier of the grant whose refresh token is used, in a session with several grants; absent
            /// for the session's first grant.
            case grant
        }
    }
}

extension EventDetails.Field {
    /// The fields that name an account; none for `nil`.
    package static func naming(_ account: AccountID?) -> [Self] {
        account.map { [Self(.provider, $0.realm), Self(.account, $0.id)] } ?? []
    }

    /// The fields that name a resource and an additional grant; none for `nil`.
    static func naming(resource: String?, grant: String?) -> [Self] {
        (resource.map { [Self(.resource, $0.addressAlone)] } ?? []) + (grant.map { [Self(.grant, $0)] } ?? [])
    }
}
