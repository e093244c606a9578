import ArgumentParser
import Foundation
import IdentityKit
import IdentityStoreFormat

struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help:
            "The configuration file. The default is $IDENTITY_CONFIG, then identity/identity.json in the folder for settings.",
        completion: .file())
    var file: String?

    @Option(
        help: "The profile of the configuration. The default is $SWIFT_IDENTITY_PROFILE, then that of the file.",
        completion: CommandCompletions.ofProfiles)
    var profile: String?

    @OptionGroup var verbosity: VerboseOption

    func validate() { ToolCall.parsing?.place.remember(file: file, profile: profile) }
}

struct ConfigurationFile {
    static let variable = UserFolder.configurationVariable

    let url: URL

    /// Finds the existing configuration file for `options`.
    /// - Throws: ``ConfigurationFileError`` when the file does not exist, or ``/IdentityKit/ConfigurationError`` for a name
    ///   that is not a path, for a symbolic link whose target does not exist, and when the system cannot tell whether the file
    ///   exists.
    init(_ options: ConfigurationOptions, in call: ToolCall) throws {
        url = try Self.place(options, in: call)
        guard try !Self.isPresent(url) else { return }
        let error = IdentityConfiguration.missing(url)
        if case .fileUnreadable = error { throw error }
        throw ConfigurationFileError(path: url.path)
    }

    /// Returns the file that `--config` names, or else `IDENTITY_CONFIG`, or else `identity.json` in the settings folder. The
    /// file need not exist.
    /// - Throws: ``/IdentityKit/ConfigurationError`` for a name that is not a path.
    static func place(_ options: ConfigurationOptions, in call: ToolCall) throws -> URL {
        if let named = options.file ?? call.variables[variable].nonEmpty {
            do throws(StorePathError) {
                let path = try StorePath.absolute(named, in: call.context.folder.path, home: call.home)
                return URL(fileURLWithPath: path)
            } catch {
                throw ConfigurationError.fileUnreadable(path: named, detail: error.detail)
            }
        }
        return folder(.settings, in: call).appendingPathComponent("identity.json")
    }

    /// Returns whether `file` exists. A symbolic link exists if its target does.
    /// - Throws: ``/IdentityKit/ConfigurationError`` when the system cannot tell, as for a file in a folder that only
    ///   another user can open. In this case, callers must not create the file.
    static func isPresent(_ file: URL) throws -> Bool {
        guard access(file.path, F_OK) != 0 else { return true }
        let number = errno
        guard number != ENOENT, number != ENOTDIR else { return false }
        throw ConfigurationError.fileUnreadable(path: file.path, detail: "\(String(cString: strerror(number))).")
    }

    /// Returns the tool's folder for settings, state or caches (XDG Base Directory Specification).
    static func folder(_ folder: UserFolder, in call: ToolCall) -> URL {
        let path = folder.path(home: call.home) { call.variables[$0] }
        return URL(fileURLWithPath: path ?? call.home, isDirectory: true)
    }
}

struct ConfigurationCheckError: IdentityFailure {
    let file: URL
    let error: any IdentityFailure

    var failureCode: String { error.failureCode }
    var failureClass: FailureClass { error.failureClass }
    var message: String {
        // The error's message already contains the path, line and column.
        if case .located(.file, _)? = error as? ConfigurationError { return error.message }
        return "\(file.path): \(error.message)".visible
    }
}

extension ConfigurationCheckError {
    /// Wraps an error of opening a session if the configuration caused it, for example because the configured store is not
    /// available on this system; `nil` for any other error.
    init?(_ error: any Error, in file: URL) {
        switch error {
        case let error as ConfigurationError: self.init(file: file, error: error)
        case let error as TokenStoreError:
            guard case .unsupported = error else { return nil }
            self.init(file: file, error: error)
        default: return nil
        }
    }
}

struct ConfigurationFileError: IdentityFailure {
    let path: String

    let failureCode = "configuration_missing"
    let failureClass = FailureClass.definitive

    var message: String { "There is no configuration at \"\(path)\". Write one with: identity init" }
}
