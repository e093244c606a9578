import Foundation

/// The content of a folder.
///
/// On Linux FileManager treats a failed read as the end of the folder. A session that is missing in a listing would look
/// signed out.
enum FolderContent {
    /// The names in the folder at `path`, in no order.
    /// - Throws: ``SystemCallError``, also when only some of them could be read.
    static func names(in path: String) throws(SystemCallError) -> [String] {
        guard let folder = opendir(path) else { throw .current }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            // Only the error number distinguishes the end from a failure.
            errno = 0
            guard let entry = readdir(folder) else {
                guard errno == 0 else { throw .current }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}
