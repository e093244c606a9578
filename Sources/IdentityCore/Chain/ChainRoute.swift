/// The provider that serves the accounts of a realm. The type is a class, because every call for a token looks up a
/// route, and copying a link would be slower.
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

/// The routes of a chain. The first 16 are found by comparing realms, which is faster than hashing. All further routes, as in a
/// server with a realm for each tenant, are found by hash.
struct ChainRoutes: Sendable {
    private static let most = 16

    private let few: ArraySlice<ChainRoute>
    private let many: [ExactText: ChainRoute]

    /// Creates a route for each realm of `links`. The routes of links named in `excluded` are marked as excluded.
    init(_ links: [IdentityProviderChain.Link], excluding excluded: Set<String> = []) {
        let routes = links.flatMap { link in
            link.realms.sorted().map {
                ChainRoute(realm: $0, link: link, isExcluded: excluded.contains(link.name))
            }
        }
        few = routes.prefix(Self.most)
        many = Dictionary(routes.dropFirst(Self.most).map { (ExactText($0.realm), $0) }) { first, _ in first }
    }

    subscript(realm: String) -> ChainRoute? {
        if let route = few.first(where: { $0.realm.hasBytes(of: realm) }) { return route }
        return many.isEmpty ? nil : many[ExactText(realm)]
    }
}
