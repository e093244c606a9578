import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What is in a folder.
///
/// FileManager takes a read that fails for the end of the folder (swift-foundation on Linux), and a session that is
/// missing in a listing looks signed out.
enum FolderContent {
    /// The names in the folder at `path`, in no order.
    /// - Throws: ``SystemCallError``, also when only some of them could be read.
    static func names(in path: String) throws(SystemCallError) -> [String] {
        guard let folder = opendir(path) else { throw .current }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            // The end and a failure differ in nothing else.
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
