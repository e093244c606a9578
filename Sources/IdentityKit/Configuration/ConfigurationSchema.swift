import Foundation

extension ProviderRegistry {
    /// The JSON Schema (draft 2020-12) of the configuration documents for this registry, made from the types that read them.
    /// Editors use it to complete and check a document.
    public var schema: JSONValue {
        var configuration = SchemaTracer.schema(of: IdentityConfiguration.self)
        let (settingsSchemas, definitions) = settingsSchemas
        var provider = configuration["properties"]?["providers"]?["items"] ?? [:]
        provider["properties"]?["type"] = ["enum": .array(types.map(JSONValue.string))]
        provider["allOf"] = .array(
            settingsSchemas.map { type, settings in
                Self.schema(["properties": ["settings": settings]], whereTypeIs: ["const": .string(type)])
            })
        configuration["properties"]?["providers"] = [
            "type": "array", "minItems": 1, "items": ["$ref": "#/$defs/provider"],
        ]
        configuration["properties"]?["$schema"] = ["type": "string"]
        configuration["properties"]?["store"] = schemaOfStores
        let schema: JSONValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "swift-identity configuration",
            "if": ["required": ["profiles"]],
            "then": ["$ref": "#/$defs/profiles"],
            "else": ["$ref": "#/$defs/configuration"],
            "$defs": [
                "configuration": configuration,
                "profiles": [
                    "type": "object", "additionalProperties": false, "required": ["profiles"],
                    "properties": [
                        "$schema": ["type": "string"],
                        "defaultProfile": ["type": "string"],
                        "profiles": [
                            "type": "object", "additionalProperties": ["$ref": "#/$defs/configuration"],
                        ],
                    ],
                ],
                "provider": provider,
            ],
        ]
        return schema.merged(with: ["$defs": .object(definitions)])
    }

    /// The schema of the store's settings, which depend on its type.
    private var schemaOfStores: JSONValue {
        let schemas = stores.schemas.map { type, settings in
            var settings = settings
            settings["properties"]?["type"] = ["const": .string(type)]
            return Self.schema(settings, whereTypeIs: ["const": .string(type)])
        }
        return [
            "type": "object",
            "required": ["type"],
            "properties": ["type": ["enum": .array(stores.types.map(JSONValue.string))]],
            "allOf": .array(schemas),
        ]
    }

    private static func schema(_ settings: JSONValue, whereTypeIs type: JSONValue) -> JSONValue {
        ["if": ["properties": ["type": type], "required": ["type"]], "then": settings]
    }
}
