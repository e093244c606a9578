import Foundation
import IdentityKit
import IdentityLocalServers

/// The folder with the state of `identity serve --data`.
///
/// | File | Content |
/// |---|---|
/// | `serve.json` | the ports, and the document of users and clients |
/// | `thunderid.json`, `insforge.json`, `oidc.json` | the users, keys, tokens and sessions of each server |
/// | `sessions`, `sessions.key` | the token store of the printed configuration, and its key |
/// | `lock` | a lock that the process holds while the servers run |
final class ServeData: Sendable {
    /// The content of `serve.json`, which the next start uses.
    struct Record: Codable, Sendable {
        var ports: [String: Int] = [:]
        var setup = ServeSetup()
    }

    private static let recordFile = "serve.json"

    private let folder: PrivateFolder
    /// The record of the last start; `nil` at the first start.
    let kept: Record?
    private let complaint: @Sendable (String) -> Void
    private let hasComplained = Locked(false)

    /// Opens the folder, creates it if it is missing, and locks it for this process.
    /// - Parameters:
    ///   - path: the absolute path of the folder.
    ///   - complaint: receives a message the first time that a server's state cannot be saved.
    /// - Throws: `PrivateFolderError` when the folder is in use or not private, or cannot be used; `SavedStateError` when
    ///   `serve.json` is unusable.
    init(at path: String, complaint: @escaping @Sendable (String) -> Void) throws {
        folder = try PrivateFolder(at: path)
        self.complaint = complaint
        let name = "\(folder.path)/\(Self.recordFile)"
        kept = try folder.read(Self.recordFile).map { try SavedDocument.decode(Record.self, from: $0, name: name) }
    }

    var path: String { folder.path }

    /// The path of the token store's folder, as the printed configuration names it.
    var sessions: String { "\(folder.path)/sessions" }

    /// Reads the saved state of a server, and returns a storage that saves new states to the same file.
    /// - Throws: `PrivateFolderError` when the file cannot be read or is not private.
    func storage(of server: ServeSetup.Server) throws -> ServerStorage {
        let file = "\(server.rawValue).json"
        return ServerStorage(name: "\(folder.path)/\(file)", content: try folder.read(file)) { [self] content in
            do {
                try folder.write(content, to: file)
            } catch {
                complain(about: error)
                throw error
            }
        }
    }

    /// Writes `record` to `serve.json` for the next start.
    /// - Throws: `PrivateFolderError` when the file cannot be written.
    func keep(_ record: Record) throws {
        try folder.write(try SavedDocument.encode(record), to: Self.recordFile)
    }

    private func complain(about error: any Error) {
        let isFirst = hasComplained.withLock { hasComplained in
            defer { hasComplained = true }
            return !hasComplained
        }
        if isFirst { complaint("identity serve: \(error.identityMessage) Requests that change something fail.") }
    }
}
