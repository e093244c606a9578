import Foundation

/// A document of settings that is no configuration of providers, read as strictly as one: JSON or a property list, with
/// `${NAME}` for an environment variable, where every mistake names its key path.
package enum SettingsDocument {
    /// Reads `type` from a document.
    /// - Throws: ``ConfigurationError``, in which no variable's text appears.
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
        var schema = SchemaTracer.schema(of: type, acceptsReferences: true)
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["title"] = .string(title)
        schema["properties"]?["$schema"] = ["type": "string"]
        return schema
    }
}
