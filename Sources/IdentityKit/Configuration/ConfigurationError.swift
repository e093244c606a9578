import IdentityStoreFormat

/// What is wrong with a configuration, with the file or the key path.
public enum ConfigurationError: IdentityFailure, Equatable {
    /// There is no file.
    case fileMissing(path: String)
    /// The file cannot be read.
    case fileUnreadable(path: String, detail: String)
    /// Somebody else could have written the file.
    case fileInsecure(path: String, detail: String)
    /// The text is not JSON.
    case notADocument(detail: String)
    /// A required key is missing, perhaps because it is misspelt as an unknown one.
    case missingKey(keyPath: String, misspelling: String? = nil)
    /// An unknown key, such as a misspelt one.
    case unknownKey(keyPath: String, known: [String])
    /// A value of the wrong kind.
    case wrongType(keyPath: String, expected: String, found: String)
    /// A value of the right kind that is not acceptable.
    case invalidValue(keyPath: String, reason: String)
    /// A provider type that is not registered.
    case unknownProviderType(keyPath: String, type: String, registered: [String])
    /// A store type that is not registered.
    case unknownStoreType(keyPath: String, type: String, registered: [String])
    /// A value refers to an environment variable that is not set.
    case missingVariable(keyPath: String, name: String)
    /// There is no such profile.
    case unknownProfile(String, known: [String])
    /// An environment variable overrides a setting of an unknown provider.
    case unknownOverride(variable: String, known: [String])
    /// The store cannot be replaced while the app runs.
    case storeChanged

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .fileMissing: "configuration_file_missing"
        case .fileUnreadable: "configuration_file_unreadable"
        case .fileInsecure: "configuration_file_insecure"
        case .notADocument: "configuration_not_a_document"
        case .missingKey: "configuration_missing_key"
        case .unknownKey: "configuration_unknown_key"
        case .wrongType: "configuration_wrong_type"
        case .invalidValue: "configuration_invalid_value"
        case .unknownProviderType: "configuration_unknown_provider_type"
        case .unknownStoreType: "configuration_unknown_store_type"
        case .missingVariable: "configuration_missing_variable"
        case .unknownProfile: "configuration_unknown_profile"
        case .unknownOverride: "configuration_unknown_override"
        case .storeChanged: "configuration_store_changed"
        }
    }

    /// Always ``/IdentityCore/FailureClass/definitive``.
    public var failureClass: FailureClass { .definitive }

    /// What is wrong and what to write instead.
    public var message: String {
        switch self {
        case .fileMissing(let path):
            "There is no configuration file at \(path). Create it, or name another one."
        case .fileUnreadable(let path, let detail):
            "The configuration file \(path) cannot be read: \(detail)"
        case .fileInsecure(let path, let detail):
            "The configuration file \(path) is not used, because \(detail). If it says what you want, run: "
                + (detail == Privacy.othersCanWrite ? "chmod go-w" : "sudo chown \"$(id -un)\"")
                + " \(path.quotedForShell)"
        case .notADocument(let detail):
            "The configuration is not JSON: \(detail)"
        case .missingKey(let keyPath, let misspelling?):
            "\(keyPath) is missing, and \"\(misspelling)\" is not a known setting. "
                + "Did you mean \"\(Self.name(at: keyPath))\"?"
        case .missingKey(let keyPath, nil):
            "\(keyPath) is missing. Add it."
        case .unknownKey(let keyPath, let known):
            "\(keyPath) is not a known setting. "
                + Self.suggestion(for: Self.name(at: keyPath), in: known)
                + "Known here: \(known.joined(separator: ", "))."
        case .wrongType(let keyPath, let expected, let found):
            "\(keyPath) is \(found), but must be \(expected)."
        case .invalidValue(let keyPath, let reason):
            "\(keyPath) is not acceptable. \(reason)"
        case .unknownProviderType(let keyPath, let type, let registered):
            "\(keyPath) is \"\(type)\", a provider type that is not registered. "
                + Self.suggestion(for: type, in: registered) + "Registered: "
                + (registered.isEmpty ? "none" : registered.joined(separator: ", "))
                + ". " + Self.wayToRegister(type)
        case .unknownStoreType(let keyPath, let type, let registered):
            "\(keyPath) is \"\(type)\", a store type that is not registered. "
                + Self.suggestion(for: type, in: registered) + "Registered: " + registered.joined(separator: ", ")
                + ". Import the library that offers it and register its plug-in with the registry's stores."
        case .missingVariable(let keyPath, let name):
            "\(keyPath) refers to the environment variable \(name), which is not set. Set it."
        case .unknownProfile(let name, let known):
            "There is no profile \"\(name)\". " + Self.suggestion(for: name, in: known)
                + "Known: \(known.joined(separator: ", "))."
        case .unknownOverride(let variable, let known):
            "\(variable) overrides nothing. After SWIFT_IDENTITY__ comes a provider or \"store\", then the setting's "
                + "name, with __ in between. Providers: \(known.joined(separator: ", "))."
        case .storeChanged:
            "The store cannot be replaced while the app runs. Keep it as it was, or start the app again."
        }
    }
}

extension ConfigurationError {
    /// A sentence about the name that `name` is probably a misspelling of; empty when none is near.
    private static func suggestion(for name: String, in known: [String]) -> String {
        name.similarName(in: known).map { "Did you mean \"\($0)\"? " } ?? ""
    }

    private static func name(at keyPath: String) -> String {
        keyPath.split(separator: ".").last.map(String.init) ?? keyPath
    }

    /// How to register a provider type. The core knows only its own providers.
    private static func wayToRegister(_ type: String) -> String {
        guard let plugin = ProviderRegistry.corePlugins.first(where: { $0.type == type }) else {
            return "Import the library that offers it and register its plug-in with ProviderRegistry."
        }
        return "Register \(plugin).self with ProviderRegistry."
    }
}
