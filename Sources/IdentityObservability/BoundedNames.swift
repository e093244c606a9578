#if Observability
import IdentityKit

/// Distinguishes a limited number of names and treats all further ones as one, so that nobody outside can make a metric
/// grow.
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
