/// The difference between two configurations, such as before and after a reload. Besides the providers, ``description``
/// also names a new order of the providers, a new profile and new policies.
public struct ConfigurationChange: Sendable, Equatable {
    /// Names of the providers that only the new configuration has, in its order.
    public let added: [String]
    /// Names of the providers that only the old configuration has. Their accounts stay in the store.
    public let removed: [String]
    /// Names of the providers that are in both configurations, but differ in the type, the settings or another member.
    public let changed: [String]
    /// Names of the providers that are equal in both configurations.
    package let kept: [String]
    /// Whether the providers that are in both configurations are in a different order.
    package let isReordered: Bool
    /// The new profile; `nil` when it is unchanged.
    package let profile: String?
    /// The new policy for the end of a session; `nil` when it is unchanged.
    package let onSessionEnd: SessionEndPolicy?
    /// The new value of ``IdentityConfiguration/routesByDestination``; `nil` when it is unchanged.
    package let routesByDestination: Bool?

    package init(from old: IdentityConfiguration, to new: IdentityConfiguration) {
        let before = Dictionary(old.providers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Set(new.providers.map(\.name))
        added = new.providers.map(\.name).filter { before[$0] == nil }
        removed = old.providers.map(\.name).filter { !after.contains($0) }
        changed = new.providers.filter { provider in before[provider.name].map { $0 != provider } ?? false }.map(\.name)
        kept = new.providers.filter { before[$0.name] == $0 }.map(\.name)
        let common = old.providers.map(\.name).filter(after.contains)
        isReordered = common != new.providers.map(\.name).filter { before[$0] != nil }
        profile = old.profile == new.profile ? nil : new.profile
        onSessionEnd = old.onSessionEnd == new.onSessionEnd ? nil : new.onSessionEnd
        routesByDestination = old.routesByDestination == new.routesByDestination ? nil : new.routesByDestination
    }

    public var isEmpty: Bool {
        added.isEmpty && removed.isEmpty && changed.isEmpty && !isReordered && profile == nil
            && onSessionEnd == nil && routesByDestination == nil
    }
}

extension ConfigurationChange: CustomStringConvertible {
    /// The changes in one line, without the values of provider settings; "nothing changed" when there are none.
    public var description: String {
        let parts = [("added", added), ("removed", removed), ("changed", changed)]
            .filter { !$1.isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
        let all =
            parts + (isReordered ? ["another order"] : []) + (profile.map { ["profile \($0)"] } ?? [])
            + (onSessionEnd.map { ["at the end of a session: \($0.rawValue)"] } ?? [])
            + (routesByDestination.map { ["requests go by \($0 ? "their address" : "the active account")"] } ?? [])
        return all.isEmpty ? "nothing changed" : all.joined(separator: "; ")
    }
}
