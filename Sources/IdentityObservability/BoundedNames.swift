#if Observability
import IdentityKit

/// A filter that leaves the first `limit` different names unchanged, and replaces any further name with `other`. The values
/// of a metric's dimension thus stay limited, even if a server chooses the names.
final class BoundedNames: Sendable {
    private let limit: Int
    private let known = Locked<Set<String>>([])

    init(limit: Int) { self.limit = limit }

    subscript(_ name: String?) -> String? {
        guard let name else { return nil }
        return known.withLock { known in
            guard !known.contains(name) else { return name }
            guard known.count < limit else { return "other" }
            known.insert(name)
            return name
        }
    }
}
#endif
