import Foundation
import IdentityKit

/// A file with a token, in a folder of its own that only the current user can open.
struct TokenFile: Sendable {
    let folder: String

    var path: String { "\(folder)/token" }

    init(in folder: String) { self.folder = folder }

    private static let prefix = "identity-"

    /// Whether `folder` is an absolute path, and its last component has the prefix that ``init(for:)`` uses. No other path
    /// is accepted from the command line.
    static func isOne(_ folder: String) -> Bool {
        folder.hasPrefix("/") && folder.split(separator: "/").last?.hasPrefix(prefix) == true
    }

    /// Makes a folder for a new file: in `$XDG_RUNTIME_DIR`, which the system removes at logout, or else in the
    /// temporary folder.
    /// - Throws: ``TokenFileError``.
    init(for call: ToolCall) throws {
        let place = call.variables["XDG_RUNTIME_DIR"].nonEmpty ?? call.temporaryFolder.path
        folder = "\(place)/\(Self.prefix)\(UUID().uuidString)"
        guard mkdir(folder, 0o700) == 0 else {
            throw TokenFileError(path: folder, reason: String(cString: strerror(errno)))
        }
    }

    /// Replaces the content atomically, so that a reader sees either the old token or the new one.
    func write(_ token: Secret) throws { try PrivateDocument.replace(Data(token.reveal().utf8), at: path) }

    /// Deletes the file. The folder stays for the next token.
    func clear() { unlink(path) }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

/// The folder of a token file cannot be made.
struct TokenFileError: IdentityFailure {
    let path: String
    let reason: String

    let failureCode = "token_file_not_written"
    let failureClass = FailureClass.definitive

    var message: String { "The folder \(path) cannot be made: \(reason)." }
}
