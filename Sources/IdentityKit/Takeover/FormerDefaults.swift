import Foundation

/// Values that another library has stored in user defaults of the app.
package struct FormerDefaults: Sendable {
    /// The name of the suite; `nil` for the app's own defaults.
    private let suite: String?

    package init(suite: String?) {
        self.suite = suite
    }

    /// The data that is stored under `key`; `nil` when there is none, or a value of another type.
    package func value(_ key: String) -> Data? { defaults?.data(forKey: key) }

    package func remove(_ key: String) { defaults?.removeObject(forKey: key) }

    private var defaults: UserDefaults? {
        guard let suite else { return .standard }
        return UserDefaults(suiteName: suite)
    }
}
