/// Provider that serves a realm. Every call for a token passes the route on, so it is a class to avoid copies.
package final class ChainRoute: Sendable {
    let realm: String
    package let provider: any AccountProvider
    package let link: IdentityProviderChain.Link
    let isExcluded: Bool

    init(realm: String, link: IdentityProviderChain.Link, isExcluded: Bool) {
        self.realm = realm
        self.link = link
        self.isExcluded = isExcluded
        provider = link.provider
    }
}

/// The routes of a chain. Comparing names is faster than hashing for a few realms; many, such as one per tenant of a
/// server, are hashed.
struct ChainRoutes: Sendable {
    private static let most = 16

    private let few: ArraySlice<ChainRoute>
    private let many: [Realm: ChainRoute]

    /// A realm's name, hashed and compared by its bytes, as in ``AccountID``.
    private struct Realm: Hashable {
        let name: String

        static func == (left: Realm, right: Realm) -> Bool { left.name.hasBytes(of: right.name) }

        func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: name) }
    }

    /// The routes to the providers of `links`, in their order.
    init(_ links: [IdentityProviderChain.Link], excluding excluded: Set<String> = []) {
        let routes = links.flatMap { link in
            link.realms.sorted().map {
                ChainRoute(realm: $0, link: link, isExcluded: excluded.contains(link.name))
            }
        }
        few = routes.prefix(Self.most)
        many = Dictionary(routes.dropFirst(Self.most).map { (Realm(name: $0.realm), $0) }) { first, _ in first }
    }

    subscript(realm: String) -> ChainRoute? {
        if let route = few.first(where: { $0.realm.hasBytes(of: realm) }) { return route }
        return many.isEmpty ? nil : many[Realm(name: realm)]
    }
}
