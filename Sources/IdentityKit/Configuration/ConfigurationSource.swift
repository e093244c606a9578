import Foundation

/// The file and the variables from which a configuration was read. With them, errors show the line of a setting or the
/// variable that overrides it.
struct ConfigurationSource: Sendable {
    /// Path of the file; `nil` for a document without a file.
    var path: String?
    var document = Data()
    /// The variables that override settings, by the settings' key paths.
    var overrides: [String: String] = [:]

    /// Adds the overriding variable, or else the position in the file, to `error`. Returns `error` unchanged if it has
    /// no key path, or if there is no variable and the position in a file is unknown.
    func locating(_ error: ConfigurationError) -> ConfigurationError {
        guard let keyPath = error.keyPath else { return error }
        let overriding = overrides.first { keyPath == $0.key || keyPath.hasPrefix($0.key + "[") }
        if let overriding { return .located(.variable(overriding.value), error) }
        guard let path, let offset = SettingOffset.of(keyPath, isKey: error.isAboutKey, in: [UInt8](document)) else {
            return error
        }
        let (line, column) = SyntaxMistake.position(of: offset, in: [UInt8](document))
        return .located(.file(path: path, line: line, column: column), error)
    }
}

extension IdentityConfiguration {
    /// Adds the position in the file or the overriding variable, if known, to a ``ConfigurationError``. Returns any other
    /// error unchanged.
    package func locating(_ error: any Error) -> any Error {
        guard let mistake = error as? ConfigurationError else { return error }
        return source.locating(mistake)
    }
}

extension ConfigurationSource: CustomReflectable {
    /// Shows no members, because a document may contain secrets.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
