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
                [
                    "if": ["properties": ["type": ["const": .string(type)]], "required": ["type"]],
                    "then": ["properties": ["settings": settings]],
                ]
            })
        configuration["properties"]?["providers"] = [
            "type": "array", "minItems": 1, "items": ["$ref": "#/$defs/provider"],
        ]
        configuration["properties"]?["$schema"] = ["type": "string"]
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
}
