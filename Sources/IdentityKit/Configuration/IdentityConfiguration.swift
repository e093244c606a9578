import Foundation

/// Which identity backends an app uses, in which order, and where it keeps sessions: one document, JSON or property
/// list, so that switching backends changes a file and no code.
///
/// ```json
/// {
///   "store": { "type": "file", "folder": "~/.local/state/example" },
///   "providers": [
///     { "name": "work", "type": "thunderid", "settings": { "baseURL": "https://id.example.com", "clientID": "app" } },
///     { "name": "home", "type": "insforge", "settings": { "baseURL": "https://example.insforge.app" } }
///   ]
/// }
/// ```
public struct IdentityConfiguration: Sendable, Equatable {
    /// Where sessions are kept.
    public var store: StoreConfiguration
    /// The providers in the order in which they are asked.
    public var providers: [ProviderConfiguration]

    /// A configuration made in code.
    public init(store: StoreConfiguration = .memory, providers: [ProviderConfiguration]) {
        self.store = store
        self.providers = providers
    }

    /// Reads a configuration file.
    /// - Throws: ``ConfigurationError``.
    public init(contentsOf file: URL) throws {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            throw ConfigurationError.fileMissing(path: file.path)
        } catch {
            throw ConfigurationError.fileUnreadable(path: file.path, detail: error.localizedDescription)
        }
        try self.init(parsing: data)
    }

    /// Reads a configuration document, JSON or property list.
    /// - Throws: ``ConfigurationError``.
    public init(parsing data: Data) throws {
        self = try SettingsDecoder.decode(Self.self, from: ConfigurationDocument.value(of: data), at: "")
        var names: Set<String> = []
        for (index, provider) in providers.enumerated() where !names.insert(provider.name).inserted {
            throw ConfigurationError.invalidValue(
                keyPath: "providers[\(index)].name",
                reason: "\"\(provider.name)\" is used twice. Give each provider a name of its own.")
        }
        guard !providers.isEmpty else {
            throw ConfigurationError.invalidValue(keyPath: "providers", reason: "Name at least one provider.")
        }
    }
}

extension IdentityConfiguration: Codable {
    private enum CodingKeys: String, CodingKey {
        case store
        case providers
    }

    /// Reads the document's members.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        store = try container.decodeIfPresent(StoreConfiguration.self, forKey: .store) ?? .memory
        providers = try container.decode([ProviderConfiguration].self, forKey: .providers)
    }
}

/// One provider of a configuration.
public struct ProviderConfiguration: Sendable, Equatable, Codable {
    /// The provider's name: the realm of its accounts. Keep it when the settings change, and its users stay signed in.
    public var name: String
    /// The registered type, such as `thunderid`.
    public var type: String
    /// The type's own settings.
    public var settings: JSONValue

    /// A provider.
    public init(name: String, type: String, settings: JSONValue) {
        self.name = name
        self.type = type
        self.settings = settings
    }
}

/// A document's bytes, JSON or property list, as one value.
private enum ConfigurationDocument {
    static func value(of data: Data) throws -> JSONValue {
        let isPropertyList = data.starts(with: Data("bplist".utf8)) || data.first == UInt8(ascii: "<")
        do {
            return isPropertyList
                ? try PropertyListDecoder().decode(JSONValue.self, from: data) : try JSONValue(parsing: data)
        } catch {
            throw ConfigurationError.notADocument(detail: Self.detail(of: error))
        }
    }

    private static func detail(of error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return error.localizedDescription }
        let underlying = context.underlyingError as NSError?
        return underlying?.userInfo[NSDebugDescriptionErrorKey] as? String ?? context.debugDescription
    }
}
