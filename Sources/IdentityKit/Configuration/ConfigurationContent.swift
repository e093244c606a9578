import Foundation
import IdentityStoreFormat

extension IdentityConfiguration {
    /// Reads a configuration file. The file decides where passwords and tokens are sent, so a regular file is refused
    /// if other users can write it, or if it belongs to neither the current user nor root. Files in an app's bundle on
    /// macOS are not checked. On systems other than Linux and macOS, no file is checked.
    /// - Throws: ``ConfigurationError/fileMissing(path:)``, ``ConfigurationError/fileUnreadable(path:detail:)``, or
    ///   ``ConfigurationError/fileInsecure(path:detail:)``.
    package static func content(of file: URL) throws -> Data {
        var status = stat()
        do {
            // Check only regular files. The owner of a pipe need not be the user who writes to it.
            let isThere = stat(file.path, &status) == 0
            if isThere, status.st_mode & S_IFMT == S_IFDIR {
                throw ConfigurationError.fileUnreadable(path: file.path, detail: "it is a folder.")
            }
            guard isOpenToOthers(file), isThere, status.st_mode & S_IFMT == S_IFREG else {
                return try Data(contentsOf: file)
            }
            return Data(try FileContent(ofConfiguration: file.path).bytes)
        } catch let error as ConfigurationError {
            throw error
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            throw missing(file)
        } catch FileContent.ReadError.insecure(let detail) {
            throw ConfigurationError.fileInsecure(path: file.path, detail: detail)
        } catch FileContent.ReadError.system(let errorNumber) {
            let detail = SystemCallError(errorNumber: errorNumber).detail
            throw ConfigurationError.fileUnreadable(path: file.path, detail: "\(detail).")
        } catch {
            throw ConfigurationError.fileUnreadable(path: file.path, detail: error.localizedDescription)
        }
    }

    /// The error for a missing file: ``ConfigurationError/fileMissing(path:)``, or for a broken symbolic link
    /// ``ConfigurationError/fileUnreadable(path:detail:)`` with the link's target.
    package static func missing(_ file: URL) -> ConfigurationError {
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) else {
            return .fileMissing(path: file.path)
        }
        return .fileUnreadable(
            path: file.path, detail: "it is a symbolic link to \(target), and there is no such file.")
    }

    /// Whether the file has to be checked, because another user may have written it. Files in the app's bundle on macOS
    /// are trusted, because whoever installed the app also installed its code. On systems other than Linux and macOS,
    /// every file is trusted.
    private static func isOpenToOthers(_ file: URL) -> Bool {
        #if os(Linux)
        true
        #elseif os(macOS)
        !file.path.hasPrefix(Bundle.main.bundlePath + "/Contents/")
        #else
        false
        #endif
    }
}
