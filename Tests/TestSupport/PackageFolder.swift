import Foundation

/// The folder of this package, for tests that read its sources and pages.
package enum PackageFolder {
    /// The nearest folder above this file with a manifest.
    package static let url: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        repeat {
            folder.deleteLastPathComponent()
        } while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
            && folder.path != "/"
        return folder
    }()
}
