extension ProviderRegistry {
    /// The JSON Schema (draft 2020-12) of the configuration documents for this registry, derived from the types that
    /// decode them. Editors use it to complete and check a document.
    package var schema: JSONValue {
        let (settingsSchemas, definitions) = settingsSchemas
        let (configuration, anyProvider, profiles) = documentSchemas
        var provider = anyProvider
        provider["allOf"] = .array(
            settingsSchemas.map { type, settings in
                Self.schema(["properties": ["settings": settings]], whereTypeIs: ["const": .string(type)])
            })
        let schema: JSONValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "swift-identity configuration",
            "if": ["required": ["profiles"]],
            "then": ["$ref": "#/$defs/profiles"],
            "else": ["$ref": "#/$defs/configuration"],
            "$defs": [
                "configuration": configuration, "profiles": profiles, "provider": provider,
            ],
        ]
        return schema.merged(with: ["$defs": .object(definitions)])
    }

    var documentSchemas: (configuration: JSONValue, provider: JSONValue, profiles: JSONValue) {
        let types: JSONValue = ["enum": .array(types.map(JSONValue.string))]
        var configuration = SchemaTracer.schema(of: IdentityConfiguration.self)
        var provider = configuration["properties"]?["providers"]?["items"] ?? [:]
        provider["properties"]?["type"]?.become(types)
        configuration["properties"]?["providers"]?.become(
            ["type": "array", "minItems": 1, "items": ["$ref": "#/$defs/provider"]])
        configuration["properties"]?["store"]?.become(schemaOfStores)
        var profiles = SchemaTracer.schema(of: ConfigurationDocument.Profiles.self)
        profiles["properties"]?["profiles"]?["additionalProperties"] = ["$ref": "#/$defs/configuration"]
        configuration["properties"]?["$schema"] = SettingDescription.schemaOfSchema
        profiles["properties"]?["$schema"] = SettingDescription.schemaOfSchema
        return (configuration, provider, profiles)
    }

    private var schemaOfStores: JSONValue {
        let schemas = stores.schemas.map { type, settings in
            var settings = settings
            settings["properties"]?["type"] = ["const": .string(type)]
            let required = (settings["required"]?.arrayValue ?? []).compactMap(\.stringValue) + ["type"]
            settings["required"] = .array(required.sorted().map(JSONValue.string))
            return Self.schema(settings, whereTypeIs: ["const": .string(type)])
        }
        let types: JSONValue = ["enum": .array(stores.types.map(JSONValue.string))]
        var type = SchemaTracer.schema(of: StoreConfiguration.self)["properties"]?["type"] ?? [:]
        type.become(types)
        return [
            "type": "object",
            "required": ["type"],
            "properties": ["type": type],
            "allOf": .array(schemas),
        ]
    }

    private static func schema(_ settings: JSONValue, whereTypeIs type: JSONValue) -> JSONValue {
        ["if": ["properties": ["type": type], "required": ["type"]], "then": settings]
    }
}

extension JSONValue {
    /// Replaces this schema with `schema`, but keeps the `description`, `examples` and `default` of this schema.
    fileprivate mutating func become(_ schema: JSONValue) {
        let texts = (objectValue ?? [:]).filter { ["description", "examples", "default"].contains($0.key) }
        self = schema.merged(with: .object(texts))
    }
}
