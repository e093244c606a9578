import Foundation

/// Scripts that tests run as programs.
package enum Script {
    /// Writes `text` to `file`, which its owner may run.
    ///
    /// A process of its own writes it. A program that is open for writing cannot be started (ETXTBSY), and what this process
    /// has open is for a moment also open in each process that another test starts.
    package static func write(_ text: String, to file: URL) throws {
        let draft = file.appendingPathExtension("draft")
        try Data(text.utf8).write(to: draft)
        defer { try? FileManager.default.removeItem(at: draft) }
        let install = Process()
        install.executableURL = URL(fileURLWithPath: "/usr/bin/install")
        install.arguments = ["-m", "700", draft.path, file.path]
        try install.run()
        install.waitUntilExit()
        guard install.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
