import Foundation

/// Decodes documents other than configurations of providers, equally strictly: JSON, with `${NAME}` for an environment
/// variable.
package enum SettingsDocument {
    /// Reads `type` from a document.
    /// - Throws: ``ConfigurationError``, with the names of variables instead of their values.
    package static func decode<Settings: Decodable>(
        _ type: Settings.Type, from data: Data, variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Settings {
        let document = try ConfigurationDocument(parsing: data).value
        let resolved = try EnvironmentReferences(variables).resolve(document, at: "")
        do {
            return try SettingsDecoder.decode(type, from: resolved.value, at: "", texts: resolved.texts)
        } catch let error as ConfigurationError {
            throw resolved.hidingValues(in: error)
        }
    }

    /// The JSON Schema (draft 2020-12) of the documents that ``decode(_:from:variables:)`` takes.
    package static func schema(of type: any Decodable.Type, title: String) -> JSONValue {
        var schema = titled(SchemaTracer.schema(of: type, acceptsReferences: true), title)
        schema["properties"]?["$schema"] = SettingDescription.schemaOfSchema
        return schema
    }

    /// The JSON Schema (draft 2020-12) of the output that a program encodes from `type`.
    package static func schema(ofResult type: any Decodable.Type, title: String) -> JSONValue {
        titled(SchemaTracer.schema(of: type), title)
    }

    private static func titled(_ schema: JSONValue, _ title: String) -> JSONValue {
        var schema = schema
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["title"] = .string(title)
        return schema
    }
}
