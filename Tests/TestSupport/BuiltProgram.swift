import Foundation

/// The executables of this package, as the build has left them.
package enum BuiltProgram {
    /// Where they lie: beside the tests' own product.
    package static let folder: URL = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = tests.deletingLastPathComponent()
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        return folder
    }()

    package static func url(_ name: String) -> URL {
        folder.appendingPathComponent(name)
    }
}
