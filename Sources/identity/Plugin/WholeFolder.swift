import Foundation

/// A folder that is there with everything that belongs into it, or not at all.
enum WholeFolder {
    /// Writes `files` into a new folder. It takes its place once it is complete; until then it is hidden beside it.
    /// - Throws: `CocoaError`, also when there is something at `folder`; no part of it is left behind then.
    static func create(_ files: [(path: String, text: String)], at folder: URL) throws {
        let manager = FileManager.default
        let draft = folder.deletingLastPathComponent()
            .appendingPathComponent(".\(folder.lastPathComponent)-\(UUID().uuidString)")
        do {
            for file in files {
                let target = draft.appendingPathComponent(file.path)
                try manager.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.text.utf8).write(to: target)
            }
            try manager.moveItem(at: draft, to: folder)
        } catch {
            try? manager.removeItem(at: draft)
            throw error
        }
    }
}
