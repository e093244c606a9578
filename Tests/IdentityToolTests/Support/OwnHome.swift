import Foundation
import TestSupport

/// A home that one call of the tool has for itself, so that no test reads or writes what the developer has.
struct OwnHome: Sendable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The variables of the tests, without those that name the developer's folders and configuration.
    var variables: [String: String] {
        ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("XDG_") && !$0.key.hasPrefix("IDENTITY_") }
            .merging(["HOME": folder.url.path]) { $1 }
    }
}
