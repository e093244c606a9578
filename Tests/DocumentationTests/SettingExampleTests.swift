import Foundation
import IdentityKit
import Testing

/// Every example of a setting is read, and every default is what an absent key yields.
@Suite struct SettingExampleTests {
    private static let references = ProviderRegistry.everyType.references.filter { $0.base == nil }
    private let registry = ProviderRegistry.everyType
    /// The settings of each type. A registry reads a type's settings each time that it is asked.
    private static let descriptions = Dictionary(
        references.map { ($0.type, ProviderRegistry.everyType.descriptions(of: $0.type)) }, uniquingKeysWith: { $1 })

    @Test("Every example is read", arguments: references)
    func examples(_ reference: SettingsReference) throws {
        let folder = try ExampleFolder()
        defer { folder.remove() }
        for setting in reference.settings where !Self.needsAppleSystems(setting) && !isRefused(setting, reference) {
            guard let example = setting.example else { continue }
            let reads = documents(with: setting, of: reference).contains { document in
                (try? read(document.setting(example, at: setting.keyPath), reference, folder)) != nil
            }
            #expect(reads, "\(reference.type): \(setting.keyPath)")
        }
    }

    @Test("Every default is what an absent key yields, and another value yields something else", arguments: references)
    func defaults(_ reference: SettingsReference) throws {
        let folder = try ExampleFolder()
        defer { folder.remove() }
        for setting in reference.settings where !isRefused(setting, reference) {
            guard let standard = setting.default, let example = setting.example else { continue }
            let outcomes = documents(with: setting, of: reference).map { document in
                [nil, standard, example].map {
                    (try? read(document.setting($0, at: setting.keyPath), reference, folder)) ?? Self.refused
                }
            }
            // Where the default is refused beside other settings, so must be an absent key.
            let outcome = try #require(
                outcomes.first { !$0.contains(Self.refused) } ?? outcomes.first { $0[2] != Self.refused },
                "\(reference.type): \(setting.keyPath)")
            #expect(outcome[0] == outcome[1], "\(reference.type): \(setting.keyPath)")
            // Of lists and objects a description may not show what is in them.
            guard standard.arrayValue == nil, standard.objectValue == nil else { continue }
            #expect(outcome[0] != outcome[2], "\(reference.type): \(setting.keyPath)")
        }
    }

    /// What is not read.
    private static let refused = "refused"

    /// Whether a type that shares the description of other types refuses it: an ID token says who signed in.
    private func isRefused(_ setting: SettingsReference.Setting, _ reference: SettingsReference) -> Bool {
        reference.type == "openid-connect" && setting.keyPath == "tokenResponse.ignoresIDToken"
    }

    /// Whether only Apple's systems read it.
    private static func needsAppleSystems(_ setting: SettingsReference.Setting) -> Bool {
        #if !canImport(Security)
        if setting.keyPath == "trustedCertificates" { return true }
        #endif
        return false
    }

    /// The settings in which the example of `setting` may stand: the complete example with its companions; for a member of
    /// a setting, that setting's other members as they are in its example, or those that it needs, with each choice.
    private func documents(
        with setting: SettingsReference.Setting, of reference: SettingsReference
    ) -> [JSONValue] {
        let parts = setting.keyPath.split(separator: ".").map(String.init)
        var document = reference.wholeExample
        let description = Self.descriptions[reference.type]?.first { $0.key == parts[0] }
        for (key, value) in description?.companions.objectValue ?? [:] {
            document[key] = value == .null ? nil : value
        }
        guard parts.count > 1, let own = description?.example else { return [document] }
        let path = parts.dropLast().joined(separator: ".")
        let siblings = reference.settings.filter {
            $0.keyPath.hasPrefix(path + ".") && $0.keyPath.split(separator: ".").count == parts.count
        }
        let needed = siblings.filter(\.isRequired).reduce([:] as JSONValue) { $0.setting($1.example, at: $1.name) }
        let choices = siblings.flatMap { sibling in
            sibling.choices.map { needed.setting(.string($0), at: sibling.name) }
        }
        let parents = (parts.count == 2 ? [own] : []) + [needed] + choices
        return parents.map { document.setting($0, at: path) }
    }

    /// What is read, in words.
    private func read(_ settings: JSONValue, _ reference: SettingsReference, _ folder: ExampleFolder) throws -> String {
        let resolved = settings.resolved(ExampleFolder.variables)
        var text = ""
        switch reference.kind {
        case .provider: dump(try registry.read(resolved, of: reference.type, folder: folder.url.path), to: &text)
        case .store:
            let document: JSONValue = [
                "store": resolved, "providers": [["name": "a", "type": "anonymous", "settings": [:]]],
            ]
            let configuration = try IdentityConfiguration(parsing: JSONEncoder().encode(document), variables: [:])
            dump(try registry.stores.settings(of: configuration.store), to: &text)
        }
        return text
    }
}

extension SettingsReference {
    /// The settings of the complete example.
    fileprivate var wholeExample: JSONValue {
        switch kind {
        case .provider: example["providers"]?.arrayValue?.first?["settings"] ?? [:]
        case .store: example["store"] ?? [:]
        }
    }
}

extension SettingsReference.Setting {
    /// The last part of the key path.
    fileprivate var name: String { keyPath.split(separator: ".").last.map(String.init) ?? keyPath }

    /// The words that it can have.
    fileprivate var choices: [String] {
        guard form.hasPrefix("one of ") else { return [] }
        return form.matches(of: /"([^"]*)"/).map { String($0.output.1) }
    }
}

extension JSONValue {
    /// The same with `value` at `path`; without the member where that is `nil`.
    func setting(_ value: JSONValue?, at path: String) -> JSONValue {
        var changed = self
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        changed[parts[0]] = parts.count == 1 ? value : (self[parts[0]] ?? [:]).setting(value, at: parts[1])
        return changed
    }

    /// The same with the texts of variables in the place of references.
    fileprivate func resolved(_ variables: [String: String]) -> JSONValue {
        switch self {
        case .string(let text):
            .string(variables.reduce(text) { $0.replacing("${\($1.key)}", with: $1.value) })
        case .array(let elements): .array(elements.map { $0.resolved(variables) })
        case .object(let members): .object(members.mapValues { $0.resolved(variables) })
        case .null, .bool, .integer, .number: self
        }
    }
}
