import Foundation

/// Creates a folder with all its files, or no folder after an error.
enum WholeFolder {
    /// Writes `files` into a hidden folder beside `folder`, and renames the hidden folder to `folder` when all files are
    /// written.
    /// - Throws: `CocoaError`, also when `folder` exists. After an error the hidden folder is removed.
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
