import Foundation
import IdentityKit
import IdentityLocalServers

/// The folder with the state of `identity serve --data`.
///
/// | File | Content |
/// |---|---|
/// | `serve.json` | the ports, and the document of users and clients |
/// | `thunderid.json`, `insforge.json`, `oidc.json` | the users, keys, token families and sessions of each server |
/// | `sessions`, `sessions.key` | the store of the configuration that is printed |
/// | `lock` | held while the servers run |
final class ServeData: Sendable {
    /// Values that are kept for the next start.
    struct Record: Codable, Sendable {
        var ports: [String: Int] = [:]
        var setup = ServeSetup()
    }

    private static let recordFile = "serve.json"

    private let folder: PrivateFolder
    /// The record of the last start.
    let kept: Record?
    private let complaint: @Sendable (String) -> Void
    private let hasComplained = Locked(false)

    /// Opens the folder, which is created when it is missing.
    /// - Parameters:
    ///   - path: the folder, absolute.
    ///   - complaint: called once if saving fails.
    /// - Throws: `PrivateFolderError`, or `SavedStateError`.
    init(at path: String, complaint: @escaping @Sendable (String) -> Void) throws {
        folder = try PrivateFolder(at: path)
        self.complaint = complaint
        let name = "\(folder.path)/\(Self.recordFile)"
        kept = try folder.read(Self.recordFile).map { try SavedDocument.decode(Record.self, from: $0, name: name) }
    }

    var path: String { folder.path }

    /// The store of the printed configuration.
    var sessions: String { "\(folder.path)/sessions" }

    /// The storage of a server.
    /// - Throws: `PrivateFolderError`.
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

    /// Keeps `record` for the next start.
    /// - Throws: `PrivateFolderError`.
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
