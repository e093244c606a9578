import Foundation

/// Decodes a JSON document other than the configuration of providers, as strictly as ``SettingsDecoder``. In the
/// document's strings, `${NAME}` stands for the value of an environment variable.
package enum SettingsDocument {
    /// Decodes `type` from the JSON in `data`.
    /// - Throws: ``ConfigurationError``, and what the initializer of `type` throws. The message has `${NAME}` in place of
    ///   a variable's value, which may be secret.
    package static func decode<Settings: Decodable>(
        _ type: Settings.Type, from data: Data, variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Settings {
        let document = try ConfigurationDocument(parsing: data).value
        let resolved = try EnvironmentReferences(variables).resolve(document, at: "")
        do {
            return try SettingsDecoder.decode(type, from: resolved.value, at: "", texts: resolved.texts)
        } catch {
            throw resolved.hidingValues(in: error, at: "")
        }
    }

    /// Returns the JSON Schema (draft 2020-12) of the documents that ``decode(_:from:variables:)`` accepts for
    /// `type`.
    package static func schema(of type: any Decodable.Type, title: String) -> JSONValue {
        var schema = titled(SchemaTracer.schema(of: type, acceptsReferences: true), title)
        schema["properties"]?["$schema"] = SettingDescription.schemaOfSchema
        return schema
    }

    /// Returns the JSON Schema (draft 2020-12) of a program's output, which has the keys that `type` decodes.
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
