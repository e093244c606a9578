import Foundation

/// A parsed configuration document: one configuration, or several under `profiles`.
struct ConfigurationDocument {
    static let profileVariable = "SWIFT_IDENTITY_PROFILE"

    struct Profile {
        let name: String
        let value: JSONValue
        let keyPath: String
    }

    let value: JSONValue

    /// Reads JSON.
    /// - Throws: ``ConfigurationError/notADocument(detail:)``, also for one beyond ``DocumentLimits``.
    init(parsing data: Data) throws {
        do {
            try DocumentLimits.check(data)
            if let mistake = JSONSyntax.mistake(in: data, levels: DocumentLimits.maximumDepth) {
                throw ConfigurationError.notADocument(detail: mistake)
            }
            var value = try JSONValue(parsing: data)
            // Editors use it.
            value["$schema"] = nil
            self.value = value
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError.notADocument(detail: Self.detail(of: error))
        }
    }

    /// - Throws: ``ConfigurationError``, also for a default profile that is not there.
    var profileNames: [String] {
        get throws {
            guard let profiles = try profiles() else { return [IdentityConfiguration.defaultProfile] }
            let names = profiles.members.keys.sorted()
            guard profiles.defaultProfile.map(names.contains) ?? true else {
                throw ConfigurationError.unknownProfile(profiles.defaultProfile ?? "", known: names)
            }
            return names
        }
    }

    /// The profile called `name`; without a name the document's default, or the only one.
    /// - Throws: ``ConfigurationError``.
    func profile(_ name: String?) throws -> Profile {
        guard let profiles = try profiles() else {
            let only = IdentityConfiguration.defaultProfile
            guard name == nil || name == only else {
                throw ConfigurationError.unknownProfile(name ?? "", known: [only])
            }
            return Profile(name: only, value: value, keyPath: "")
        }
        let known = profiles.members.keys.sorted()
        guard let chosen = name ?? profiles.defaultProfile ?? (known.count == 1 ? known.first : nil) else {
            throw ConfigurationError.missingKey(keyPath: "defaultProfile")
        }
        guard let value = profiles.members[chosen] else {
            throw ConfigurationError.unknownProfile(chosen, known: known)
        }
        return Profile(name: chosen, value: value, keyPath: "profiles.\(chosen)")
    }

    struct Profiles: Decodable {
        let members: [String: JSONValue]
        let defaultProfile: String?

        enum CodingKeys: String, CodingKey {
            case members = "profiles"
            case defaultProfile
        }
    }

    private func profiles() throws -> Profiles? {
        guard value["profiles"] != nil else { return nil }
        return try SettingsDecoder.decode(Profiles.self, from: value, at: "")
    }

    private static func detail(of error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return error.localizedDescription }
        let underlying = context.underlyingError as NSError?
        return underlying?.userInfo[NSDebugDescriptionErrorKey] as? String ?? context.debugDescription
    }
}
