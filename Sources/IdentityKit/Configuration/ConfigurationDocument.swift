import Foundation

/// A parsed configuration document: one configuration, or several under `profiles`.
struct ConfigurationDocument {
    static let profileVariable = "SWIFT_IDENTITY_PROFILE"

    struct Profile {
        let name: String
        let value: JSONValue
        let keyPath: String
    }

    /// The byte order mark with which a document in UTF-8 may begin. Parsing skips it.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let value: JSONValue

    /// Parses a JSON document and removes its member `$schema`.
    /// - Throws: ``ConfigurationError/notADocument(detail:)``, also for a document that exceeds ``DocumentLimits``, and
    ///   ``ConfigurationError/repeatedKey(keyPath:)``.
    init(parsing data: Data) throws {
        do {
            try DocumentLimits.check(data)
            if let mistake = JSONSyntax.mistake(in: data, levels: DocumentLimits.maximumDepth) {
                throw ConfigurationError.notADocument(detail: mistake)
            }
            if let keyPath = SettingOffset.repetition(in: [UInt8](data)) {
                throw ConfigurationError.repeatedKey(keyPath: keyPath)
            }
            var value = try JSONValue(parsing: data)
            // Remove the schema reference, because only editors use it, and decoding refuses unknown keys.
            value["$schema"] = nil
            self.value = value
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError.notADocument(detail: Self.detail(of: error))
        }
    }

    /// The names of the profiles in alphabetical order; `default` for a document without profiles.
    /// - Throws: ``ConfigurationError`` for invalid `profiles`, and for a `defaultProfile` that is not among them.
    var profileNames: [String] {
        get throws {
            guard let profiles = try profiles() else { return [IdentityConfiguration.defaultProfile] }
            let names = profiles.members.keys.sorted()
            if let chosen = profiles.defaultProfile, !names.contains(chosen) {
                throw ConfigurationError.unknownProfile(chosen, known: names)
            }
            return names
        }
    }

    /// Returns the profile called `name`. Without a name, the variable `SWIFT_IDENTITY_PROFILE` names the profile, or
    /// else `defaultProfile` does. If both are absent, the document's only profile is used.
    /// - Throws: ``ConfigurationError``, such as ``ConfigurationError/unknownProfile(_:known:)`` or
    ///   ``ConfigurationError/profileNotChosen(known:)``.
    func profile(_ name: String?, variables: [String: String]) throws -> Profile {
        if let name { return try profile(name) }
        // Treat an empty variable as unset, as shells do.
        guard let named = variables[Self.profileVariable], !named.isEmpty else { return try profile(nil) }
        do {
            return try profile(named)
        } catch let error as ConfigurationError {
            guard case .unknownProfile = error else { throw error }
            throw ConfigurationError.located(.variable(Self.profileVariable), error)
        }
    }

    private func profile(_ name: String?) throws -> Profile {
        guard let profiles = try profiles() else {
            let only = IdentityConfiguration.defaultProfile
            guard name == nil || name == only else {
                throw ConfigurationError.unknownProfile(name ?? "", known: [only])
            }
            return Profile(name: only, value: value, keyPath: "")
        }
        let known = profiles.members.keys.sorted()
        guard let chosen = name ?? profiles.defaultProfile ?? (known.count == 1 ? known.first : nil) else {
            throw ConfigurationError.profileNotChosen(known: known)
        }
        guard let value = profiles.members[chosen] else {
            throw ConfigurationError.unknownProfile(chosen, known: known)
        }
        return Profile(name: chosen, value: value, keyPath: "profiles.\(chosen)")
    }

    struct Profiles: Decodable {
        let members: [String: JSONValue]
        let defaultProfile: String?

        init(from decoder: any Decoder) throws {
            let settings = try SettingsReader(decoder)
            members = try settings.read(
                "profiles",
                means: "Configurations by their names, each with the members of a document that has only one.",
                example: ["production": ["providers": [ProviderConfiguration.example]]])
            defaultProfile = try settings.readIfPresent(
                "defaultProfile",
                means: "The name of the one that counts where nothing else is said; by default the only one.",
                example: "production", isUsual: true)
        }
    }

    private func profiles() throws -> Profiles? {
        guard value["profiles"] != nil else { return nil }
        let profiles = try SettingsDecoder.decode(Profiles.self, from: value, at: "")
        guard !profiles.members.isEmpty else {
            throw ConfigurationError.invalidValue(keyPath: "profiles", reason: "Name at least one profile.")
        }
        return profiles
    }

    private static func detail(of error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return error.localizedDescription }
        let underlying = context.underlyingError as NSError?
        return underlying?.userInfo[NSDebugDescriptionErrorKey] as? String ?? context.debugDescription
    }
}
