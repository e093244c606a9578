/// The names of the fields in ``ObservedEvent/fields``. No other names occur: the names that a program gives its providers
/// and accounts are values of these fields.
public enum EventField: String, Sendable, CaseIterable {
    /// The name of the provider that the event's account belongs to, or that a chain has tried.
    case provider
    /// The identifier of the account; see ``/IdentityCore/AccountID/id``.
    case account
    /// The name of the library whose session was to be imported, whether or not the import succeeded.
    case source
    /// The collection of the store that a store event concerns, such as `accounts`.
    case collection
    /// The resource whose token the event concerns; absent for the session's own token, which was requested without a
    /// resource. The address is shown without user name, password, query and fragment.
    case resource
    /// The opaque identifier of the grant whose refresh token is used, in a session with several grants; absent for the
    /// session's first grant.
    case grant

    /// The fields that name an account; none for `nil`.
    static func naming(_ account: AccountID?) -> [EventDetails.Field] {
        guard let account else { return [] }
        return [(name: .provider, value: account.realm), (name: .account, value: account.id)]
    }

    /// The fields that name a resource and an additional grant. An argument of `nil` gets no field.
    static func naming(resource: String?, grant: String?) -> [EventDetails.Field] {
        var fields: [EventDetails.Field] = []
        if let resource { fields.append((name: .resource, value: resource.addressAlone)) }
        if let grant { fields.append((name: .grant, value: grant)) }
        return fields
    }
}
