import ArgumentParser
import Foundation
import IdentityKit
import IdentityStoreFormat

/// Which configuration a command works with.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help:
            "The configuration file. The default is $IDENTITY_CONFIG, then identity/identity.json in the folder for settings."
    )
    var file: String?

    @Option(help: "The profile of the configuration. The default is $SWIFT_IDENTITY_PROFILE, then that of the file.")
    var profile: String?

    @OptionGroup var verbosity: VerboseOption
}

/// Where the tool looks for its configuration.
struct ConfigurationFile {
    /// The variable that names the file.
    static let variable = UserFolder.configurationVariable

    /// The file that is used.
    let url: URL

    /// Finds the file for `options`.
    /// - Throws: ``ConfigurationFileError``, or ``/IdentityKit/ConfigurationError`` for a name that is not a path.
    init(_ options: ConfigurationOptions, variables: [String: String] = ProcessInfo.processInfo.environment) throws {
        let candidates = try Self.candidates(options, variables: variables)
        guard let url = candidates.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
            throw ConfigurationFileError(searched: candidates.map(\.path))
        }
        self.url = url
    }

    /// The possible files, the most important first. A file that is named is the only one.
    /// - Throws: ``/IdentityKit/ConfigurationError`` for a name that is not a path.
    static func candidates(_ options: ConfigurationOptions, variables: [String: String]) throws -> [URL] {
        if let named = options.file ?? variables[variable].nonEmpty {
            do throws(StorePathError) {
                return [URL(fileURLWithPath: try StorePath.absolute(named))]
            } catch {
                throw ConfigurationError.fileUnreadable(path: named, detail: error.detail)
            }
        }
        return ["identity.json", "identity.plist"].map(folder(.settings, variables).appendingPathComponent)
    }

    /// A folder of the tool (XDG Base Directory Specification).
    static func folder(_ folder: UserFolder, _ variables: [String: String]) -> URL {
        let path = folder.path(home: StorePath.home) { variables[$0] }
        return URL(fileURLWithPath: path ?? StorePath.home, isDirectory: true)
    }
}

/// A mistake in the configuration.
struct ConfigurationMistake: IdentityFailure {
    let file: URL
    let error: any IdentityFailure

    var failureCode: String { error.failureCode }
    var failureClass: FailureClass { error.failureClass }
    var message: String { "\(file.path): \(error.message)" }
}

extension ConfigurationMistake {
    /// The mistake that a session could not begin with; `nil` for another error. A store of another system is one too.
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

/// There is no configuration.
struct ConfigurationFileError: IdentityFailure {
    let searched: [String]

    let failureCode = "configuration_missing"
    let failureClass = FailureClass.definitive

    var message: String {
        let places = searched.map { "\"\($0)\"" }.joined(separator: " or ")
        return "There is no configuration at \(places). Write one with: identity init"
    }
}
