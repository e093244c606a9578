import Foundation
import IdentityStoreFormat

/// A mistake in a configuration. Most cases contain the path of the file, or the key path of the setting.
public enum ConfigurationError: StatedFailure, Equatable {
    case fileMissing(path: String)
    /// The file cannot be read, or is a folder or a broken symbolic link; `detail` is the reason.
    case fileUnreadable(path: String, detail: String)
    /// The file was refused, because other users can write it, or because it belongs to neither the current user nor
    /// root. `detail` is the reason.
    case fileInsecure(path: String, detail: String)
    /// The document is not JSON in UTF-8, is too large, or nests too deeply; `detail` is the reason.
    case notADocument(detail: String)
    /// A required key is missing. `misspelling` is an unknown key of the same object with a similar name; `nil` for none.
    case missingKey(keyPath: String, misspelling: String? = nil)
    /// An object has an unknown key; `known` are the keys that it may have.
    case unknownKey(keyPath: String, known: [String])
    /// A value has the wrong JSON type. `expected` and `found` are words such as "a number".
    case wrongType(keyPath: String, expected: String, found: String)
    /// A value has the right type, but is not acceptable. `reason` explains what to write instead.
    case invalidValue(keyPath: String, reason: String)
    /// A provider type is not registered. `meant` is a registered type that is also known by this name. To add a type,
    /// an app imports the library with its plug-in, and registers the plug-in with a ``ProviderRegistry``.
    case unknownProviderType(keyPath: String, type: String, registered: [String], meant: String? = nil)
    /// A store type is not registered. To add a type, an app registers its plug-in with its ``ProviderRegistry``.
    case unknownStoreType(keyPath: String, type: String, registered: [String])
    /// A value refers to an environment variable that is not set.
    case missingVariable(keyPath: String, name: String)
    case unknownProfile(String, known: [String])
    /// An environment variable such as `SWIFT_IDENTITY__work__baseURL` names an unknown provider, or no setting. `known`
    /// are the names of the providers.
    case unknownOverride(variable: String, known: [String])
    /// A reload or reconfiguration changes the store, which cannot be replaced while the app runs.
    case storeChanged
    /// An object has two members of the same name, which parsers may interpret differently.
    case repeatedKey(keyPath: String)
    /// A value consists only of references to environment variables that are set and empty; `name` is one of them.
    case emptyVariable(keyPath: String, name: String)
    /// There are several profiles, and neither the caller, `SWIFT_IDENTITY_PROFILE` nor `defaultProfile` chose one.
    case profileNotChosen(known: [String])
    /// A mistake, with the position in a file or the environment variable that it comes from.
    indirect case located(SettingPlace, ConfigurationError)

    /// The mistake without the position or variable of ``located(_:_:)``.
    public var mistake: ConfigurationError {
        guard case .located(_, let error) = self else { return self }
        return error.mistake
    }

    /// The message states the position of the mistake if it is known, the mistake, and usually the remedy. Control
    /// characters in the message are escaped.
    package var facts: FailureFacts { facts(calling: nil).rewording(\.visible) }

    /// The facts before the message's control characters are escaped.
    /// - Parameter subject: the name of the faulty setting in the message, such as a variable; `nil` for its key path.
    private func facts(calling subject: String?) -> FailureFacts {
        switch self {
        case .fileMissing(let path):
            .definitive(
                "configuration_file_missing",
                "There is no configuration file at \(path). Create it, or name another one.")
        case .fileUnreadable(let path, let detail):
            .definitive("configuration_file_unreadable", "The configuration file \(path) cannot be read: \(detail)")
        case .fileInsecure(let path, let detail):
            .definitive(
                "configuration_file_insecure",
                "The configuration file \(path) is not used, because \(detail). If it says what you want, run: "
                    + (detail == Privacy.othersCanWrite ? "chmod go-w" : "sudo chown \"$(id -un)\"")
                    + " \(path.quotedForShell)")
        case .notADocument(let detail):
            .definitive("configuration_not_a_document", "The configuration is not JSON: \(detail)")
        case .missingKey(let keyPath, let misspelling?):
            .definitive(
                "configuration_missing_key",
                "\(subject ?? keyPath) is missing, and \"\(misspelling)\" is not a known setting. "
                    + "Did you mean \"\(Self.name(at: keyPath))\"?")
        case .missingKey(let keyPath, nil):
            .definitive(
                "configuration_missing_key",
                "\(subject ?? keyPath) is missing. Add it\(Self.example(at: keyPath).map { ", such as \($0)" } ?? "").")
        case .unknownKey(let keyPath, let known):
            .definitive(
                "configuration_unknown_key",
                "\(subject ?? keyPath) is not a known setting. "
                    + Self.suggestion(for: Self.name(at: keyPath), in: known)
                    + "Known here: \(known.joined(separator: ", ")).")
        case .wrongType(let keyPath, let expected, let found):
            .definitive("configuration_wrong_type", "\(subject ?? keyPath) is \(found), but must be \(expected).")
        case .invalidValue(let keyPath, let reason):
            .definitive("configuration_invalid_value", "\(subject ?? keyPath) is not acceptable. \(reason)")
        case .unknownProviderType(let keyPath, let type, let registered, let meant):
            .definitive(
                "configuration_unknown_provider_type",
                "\(subject ?? keyPath) is \"\(type)\", a provider type that this program does not know. "
                    + (meant.map { "Did you mean \"\($0)\"? " } ?? Self.suggestion(for: type, in: registered))
                    + "Known: \(registered.isEmpty ? "none" : registered.joined(separator: ", ")). \(Self.wayToAddTypes)"
            )
        case .unknownStoreType(let keyPath, let type, let registered):
            .definitive(
                "configuration_unknown_store_type",
                "\(subject ?? keyPath) is \"\(type)\", a store type that this program does not know. "
                    + Self.suggestion(for: type, in: registered)
                    + "Known: \(registered.joined(separator: ", ")). \(Self.wayToAddTypes)")
        case .missingVariable(let keyPath, let name):
            .definitive(
                "configuration_missing_variable",
                "\(subject ?? keyPath) refers to the environment variable \(name), which is not set. Set it.")
        case .unknownProfile(let name, let known):
            .definitive(
                "configuration_unknown_profile",
                (subject.map { "\($0): " } ?? "") + "There is no profile \"\(name)\". "
                    + Self.suggestion(for: name, in: known)
                    + "Known: \(known.joined(separator: ", ")).")
        case .unknownOverride(let variable, let known):
            .definitive(
                "configuration_unknown_override",
                "\(variable) overrides nothing. After SWIFT_IDENTITY__ comes a provider or \"store\", then the setting's "
                    + "name, with __ in between. Providers: \(known.joined(separator: ", ")).")
        case .repeatedKey(let keyPath):
            .definitive("configuration_repeated_key", "\(subject ?? keyPath) stands twice. Keep one of them.")
        case .emptyVariable(let keyPath, let name):
            .definitive(
                "configuration_empty_variable",
                name == subject
                    ? "\(name) is set and empty. Give it a value, or unset it."
                    : "\(subject ?? keyPath) refers to the environment variable \(name), which is empty. Give it a value."
            )
        case .profileNotChosen(let known):
            .definitive(
                "configuration_profile_not_chosen",
                "Which profile? There are: \(known.joined(separator: ", ")). Give --profile, set "
                    + "\(ConfigurationDocument.profileVariable), or name a defaultProfile.")
        case .located(.file(let path, let line, let column), let error):
            error.facts(calling: subject).rewording { "\(path):\(line):\(column): \($0)" }
        case .located(.variable(let name), let error):
            error.facts(calling: error.name(of: name))
        case .storeChanged:
            .definitive(
                "configuration_store_changed",
                "The store cannot be replaced while the app runs. Keep it as it was, or start the app again.")
        }
    }
}

extension ConfigurationError {
    /// Key path of the setting that is wrong; `nil` when the mistake is not about a setting, or is already
    /// ``located(_:_:)``.
    var keyPath: String? {
        switch self {
        case .missingKey(let keyPath, _), .unknownKey(let keyPath, _), .wrongType(let keyPath, _, _),
            .invalidValue(let keyPath, _), .unknownProviderType(let keyPath, _, _, _),
            .unknownStoreType(let keyPath, _, _), .missingVariable(let keyPath, _), .repeatedKey(let keyPath),
            .emptyVariable(let keyPath, _):
            keyPath
        case .unknownProfile, .profileNotChosen, .located, .fileMissing, .fileUnreadable, .fileInsecure,
            .notADocument, .unknownOverride, .storeChanged:
            nil
        }
    }

    /// Whether a profile could not be chosen, as opposed to a mistake in the content of a profile.
    package var isAboutChoice: Bool {
        switch mistake {
        case .unknownProfile, .profileNotChosen: true
        default: false
        }
    }

    /// Whether the mistake is located at the key of the setting instead of at the value.
    var isAboutKey: Bool {
        switch self {
        case .unknownKey, .repeatedKey: true
        default: false
        }
    }

    /// `variable`, followed by the index of the wrong element if the mistake is about an element of a list.
    private func name(of variable: String) -> String {
        guard let keyPath, keyPath.hasSuffix("]"), let bracket = keyPath.lastIndex(of: "[") else { return variable }
        return variable + keyPath[bracket...]
    }

    /// An example of a missing member, such as `"type": "insforge"`; `nil` unless the member belongs to the document, a
    /// provider, a store, or the `key` of a store.
    private static func example(at keyPath: String) -> String? {
        let name = name(at: keyPath)
        let place = keyPath.split(separator: ".").dropLast().last.map(String.init) ?? ""
        let types: [any Decodable.Type]
        switch place {
        case "store": types = [StoreConfiguration.self, FileStorePlugin.Settings.self]
        case "key": types = [StoreConfiguration.Key.self]
        case let element where element.hasPrefix("providers["): types = [ProviderConfiguration.self]
        case "": types = [IdentityConfiguration.self]
        default: return nil
        }
        let described = types.flatMap(SchemaTracer.descriptions).first { $0.key == name }
        guard let example = described?.example else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(example)).map { "\"\(name)\": \(String(decoding: $0, as: UTF8.self))" }
    }

    /// A sentence that suggests the known name most similar to `name`; empty when none is similar.
    static func suggestion(for name: String, in known: [String]) -> String {
        name.similarName(in: known).map { "Did you mean \"\($0)\"? " } ?? ""
    }

    private static func name(at keyPath: String) -> String {
        keyPath.split(separator: ".").last.map(String.init) ?? keyPath
    }

    /// Advice for the user of a program, who may not be its author.
    private static let wayToAddTypes = "Whoever builds the program can add others."
}
