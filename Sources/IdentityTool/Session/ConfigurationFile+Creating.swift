import Foundation
import IdentityKit

extension ConfigurationFile {
    /// Checks and writes a first configuration with one provider.
    /// - Throws: ``ConfigurationExistsError`` when there is a configuration already, or what making the provider throws.
    static func create(
        with provider: ProviderConfiguration, for options: ConfigurationOptions, in call: ToolCall
    ) throws -> URL {
        let file = try place(options, in: call)
        guard !FileManager.default.fileExists(atPath: file.path) else {
            throw ConfigurationExistsError(path: file.path)
        }
        let configuration = IdentityConfiguration(
            store: .file(folder: folder(.state, in: call).path), providers: [provider])
        try call.check(configuration)
        // The file may have been created by another process after the check, so creation must be exclusive.
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
