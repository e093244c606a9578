import Foundation

/// The file and the variables of a configuration, which say where a setting stands.
struct ConfigurationSource: Sendable {
    /// The file; `nil` for a document that is in none.
    var path: String?
    var document = Data()
    /// The variables that override settings, by the settings' key paths.
    var overrides: [String: String] = [:]

    /// `error` with the place of what it is about, where there is one.
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
    /// `error` with the place in the file, or the variable, of what it is about; another error as it is.
    package func locating(_ error: any Error) -> any Error {
        guard let mistake = error as? ConfigurationError else { return error }
        return source.locating(mistake)
    }
}

extension ConfigurationSource: CustomReflectable {
    /// Shows nothing, because a document may hold secrets.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
