import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers
@testable import IdentityTerminal
@testable import IdentityTesting
@testable import IdentityTool

extension ProvokedMessage {
    static func tool() throws -> [any IdentityFailure] {
        let path = "/srv/example/identity.json"
        let address = try #require(URL(string: "https://api.example.com/notes?key=1"))
        let misspelt = AccountChoice(text: "ad")
        let errors: [any IdentityFailure] = [
            CommandNotStartedError(command: "gti", reason: "there is no such program", isMissing: true),
            StoreIsConfiguredError(path: path), ConfigurationChangedError(path: path),
            BackendNotNamedError(text: "thunder", near: "thunderid"), BackendNotNamedError(text: "?", near: nil),
            BackendNotRecognizedError(address: address),
            BackendNotRecognizedError(address: address, withheld: MissingDocument(url: address, status: 503)),
            BackendNotRecognizedError(address: address, refused: MissingDocument(url: address, status: 403)),
            BackendNotRecognizedError(address: address, refused: MissingDocument(url: address, status: 200)),
            BackendNotUsableError(finding: .bad("work", "Nothing answers at id.example.com.", fix: nil)),
            MissingSettingsError(subject: "github", names: ["clientID"]),
            MissingArgumentError(message: "Which server? Give its address."),
            MissingDeviceFlowError(in: .everyType), ConfigurationExistsError(path: path),
            ConfigurationCheckError(
                file: URL(fileURLWithPath: path), error: ConfigurationError.missingKey(keyPath: "store.folder")),
            ConfigurationFileError(path: path), UnknownTypeError(type: "oath2", similar: "oauth2"),
            ServeSetupError(file: "users.json", mistake: .fileMissing(path: "users.json")),
            ServeSetupError(file: "users.json", mistake: .notADocument(detail: "The file is empty.")),
            SignInArgumentError(reasons: [PassedOver(provider: "ci", reason: SignInOptionsError().message)]),
            AccountChoiceError(choice: misspelt, matches: ["ada", "adam"], known: []),
            AccountChoiceError(choice: misspelt, matches: [], known: ["grace"]),
            AccountChoiceError(choice: misspelt, matches: [], known: []),
            DeviceSignInTimeoutError(seconds: 300), SignInNotPossibleError(reasons: "ci: its token is fixed"),
            SignInElsewhereError(), MCPServerError(provider: "work"),
            TokenFileError(path: path, reason: "it is a file"),
            KubectlRequestError.missing, KubectlRequestError.malformed, KubectlRequestError.unknownVersion,
            KubectlRequestError.clusterMissing, KubectlRequestError.detour("proxy-url"),
            KubectlRequestError.idTokenNotFor(audience: "kubernetes"), KubectlRequestError.idTokenExpired,
            DestinationError.notNamed(address), DestinationError.elsewhere(account, provider: "home"),
            DestinationError.boundToKey,
        ]
        return errors + [try #require(SessionsNotStoredError([account]))]
    }

    /// Errors of programs and tests, beside those of the client.
    static func surroundings() -> [any IdentityFailure] {
        [
            LineTooLongError(limit: 65536), TerminalPromptError.refused("The password is wrong."),
            TerminalPromptError.inputEnded,
            ConformanceError(promise: "A write is refused when the record has changed", detail: "it was stored"),
            PortInUseError(port: 8080), SavedStateError(name: "state.json", detail: "its end is missing"),
            SoftwareAuthenticatorError.unreadableOptions, SoftwareAuthenticatorError.noCommonAlgorithm,
            SoftwareAuthenticatorError.alreadyRegistered, SoftwareAuthenticatorError.noPasskey,
            ScriptedLoginError.stranded(at: "/login"), ScriptedLoginError.refused(code: "FES-1008"),
            ScriptedLoginError.unexpectedForm, ScriptedLoginError.badAddress("not an address"),
            ScriptedLoginError.endless,
        ]
    }
}
