import Foundation

/// A folder of its own for one test, removed when the test lets go of it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        UsualUmask.set()
        url = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func file(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }
}

/// What files of the tests are made with, whatever the developer's: a configuration that a group can write is refused.
package enum UsualUmask {
    private static let former = umask(0o022)

    package static func set() { _ = former }
}

/// A path for whatever is to be missing.
package enum MissingPath {
    /// A new one, at which nothing is.
    package static func make() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("missing-\(UUID().uuidString)").path
    }
}

/// The variables of a machine that has no browser, whatever the developer's has.
package enum NoBrowser {
    package static var variables: [String: String] {
        ["BROWSER": MissingPath.make(), "DISPLAY": "", "WAYLAND_DISPLAY": "", "WSL_DISTRO_NAME": "", "WSL_INTEROP": ""]
    }
}
