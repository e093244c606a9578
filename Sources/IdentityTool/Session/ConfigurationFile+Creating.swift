import Foundation
import IdentityKit

extension ConfigurationFile {
    /// Checks a configuration with one provider, and writes it to a new file.
    /// - Returns: the address of the file.
    /// - Throws: ``ConfigurationExistsError`` when the file exists already, `ConfigurationError` for a name that is not a path
    ///   or when the system cannot tell whether the file exists, the error of making the provider, or `PrivateFolderError` when
    ///   the file cannot be written.
    static func create(
        with provider: ProviderConfiguration, for options: ConfigurationOptions, in call: ToolCall
    ) throws -> URL {
        let file = try place(options, in: call)
        guard try !isPresent(file) else {
            throw ConfigurationExistsError(path: file.path)
        }
        let configuration = IdentityConfiguration(
            store: .file(folder: folder(.state, in: call).path), providers: [provider])
        try call.check(configuration)
        // Create the file exclusively, because another process may have created it after the check.
        guard try PrivateDocument.create(Data(try configuration.json().utf8), at: file.path) else {
            throw ConfigurationExistsError(path: file.path)
        }
        return file
    }
}

struct ConfigurationExistsError: IdentityFailure {
    let path: String
    let failureCode = "configuration_exists"
    let failureClass = FailureClass.definitive
    var message: String { "\(path) exists already. Change that file, or write another one with --config." }
}
