import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Files that an input is written to, for readers of files: in memory where there is such a folder, and written only when
/// their content is another than before.
final class ScratchFiles: @unchecked Sendable {
    /// The folder they lie in, of this process alone.
    let folder: String

    // Sound: the fuzzer gives its inputs one after the other.
    private var files: [String: (descriptor: Int32, content: Data)] = [:]

    init() {
        let memory = "/dev/shm"
        let parent = access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
        let folder = "\(parent)/identity-fuzz-\(getpid())"
        mkdir(folder, 0o700)
        self.folder = folder
        Self.removed = folder
        atexit { if let folder = ScratchFiles.removed { try? FileManager.default.removeItem(atPath: folder) } }
    }

    private nonisolated(unsafe) static var removed: String?

    /// Makes `content` the content of the file at `path`, whose folder is made when it is missing.
    func write(_ content: Data, to path: String) {
        if files[path] == nil {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            made {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            files[path] = (open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600), Data())
        }
        guard let file = files[path], file.content != content else { return }
        content.withUnsafeBytes { bytes in
            rule(pwrite(file.descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count, "the file was not written")
        }
        rule(ftruncate(file.descriptor, off_t(content.count)) == 0, "the file was not written")
        files[path] = (file.descriptor, content)
    }
}
