import Foundation
import IdentityStoreFormat

extension IdentityConfiguration {
    /// Reads a configuration file. A file that somebody else could have written is refused, because it decides where
    /// passwords and tokens are sent.
    /// - Throws: ``ConfigurationError``.
    package static func content(of file: URL) throws -> Data {
        var status = stat()
        do {
            // A pipe is read without checks, because its owner says nothing about who writes to it.
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

    /// The error for a missing file, which also says where a broken link leads.
    package static func missing(_ file: URL) -> ConfigurationError {
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) else {
            return .fileMissing(path: file.path)
        }
        return .fileUnreadable(
            path: file.path, detail: "it is a symbolic link to \(target), and there is no such file.")
    }

    /// Whether the file is in a place that other users may have written to. The content of an app is trusted, because
    /// whoever installed the app also installed its code.
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
