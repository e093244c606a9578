import Foundation
import TestSupport

/// A home that one call of the tool has for itself, so that no test reads or writes what the developer has.
struct OwnHome: Sendable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The variables of the tests, with this home.
    var variables: [String: String] { ProcessInfo.processInfo.environment.merging(["HOME": folder.url.path]) { $1 } }
}
