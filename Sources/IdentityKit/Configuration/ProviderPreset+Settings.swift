extension ProviderPreset {
    /// The settings for the base type: the preset's, with the parameters filled in and the given settings merged over
    /// them.
    /// - Parameters:
    ///   - given: the settings of a configuration.
    ///   - keyPath: their key path, for errors.
    /// - Throws: ``ConfigurationError``: for a parameter that is missing, is no text, or has characters that would
    ///   change more of an address than its own part.
    func settings(with given: JSONValue, at keyPath: String) throws -> JSONValue {
        guard var own = given.objectValue else {
            throw ConfigurationError.wrongType(keyPath: keyPath, expected: "an object", found: given.kindName)
        }
        var values: [String: String] = [:]
        for parameter in parameters {
            let value = own.removeValue(forKey: parameter.name)
            let others = own.keys.filter { key in !parameters.contains { $0.name == key } }
            values[parameter.name] = try parameter.text(
                of: value, at: SettingsNode.join(keyPath, parameter.name), amid: others)
        }
        return settings.replacingPlaceholders(with: values).merged(with: .object(own))
    }

    /// Adds the missing parameters to the known settings that an `error` of the base type lists.
    func naming(_ error: ConfigurationError, at keyPath: String) -> ConfigurationError {
        guard case .unknownKey(let place, let known) = error,
            place.hasPrefix("\(keyPath)."), !place.dropFirst(keyPath.count + 1).contains(".")
        else { return error }
        return .unknownKey(keyPath: place, known: (known + parameters.map(\.name)).sorted())
    }

    /// The JSON Schema of the settings, from that of the base type.
    /// - Parameter reference: the place of the base type's schema ``JSONValue/withoutRequirements``.
    func schema(of base: JSONValue, at reference: String) -> JSONValue {
        let properties = parameters.map { parameter -> (String, JSONValue) in
            var property: [String: JSONValue] = [
                "type": "string", "description": .string(parameter.meaning), "examples": [.string(parameter.example)],
            ]
            property["default"] = parameter.default.map(JSONValue.string)
            return (parameter.name, .object(property))
        }
        let required = (base["required"]?.arrayValue ?? []).filter { settings[$0.stringValue ?? ""] == nil }
        return [
            "$ref": .string(reference),
            "properties": .object(Dictionary(properties, uniquingKeysWith: { $1 })),
            "required": .array(required + requiredParameters.map { .string($0.name) }),
            "unevaluatedProperties": false,
        ]
    }
}

extension ProviderPreset.Parameter {
    private enum Form {
        /// An `http` or `https` address without a slash at the end.
        case address
        /// A path with its leading slash, or an empty text.
        case path
        /// A host, or an identifier.
        case word

        init(of example: String) {
            self = example.contains("://") ? .address : example.hasPrefix("/") ? .path : .word
        }

        /// Whether `text` can be filled in safely: it can neither end the part of the address that it is in, nor lead
        /// out of it.
        func takes(_ text: String) -> Bool {
            let segments = text.split(separator: "/", omittingEmptySubsequences: false)
            guard !segments.contains("."), !segments.contains("..") else { return false }
            switch self {
            case .address:
                return text.wholeMatch(of: /https?:\/\/[A-Za-z0-9.\-_]+(:[0-9]+)?(\/[A-Za-z0-9.\-_~]+)*/) != nil
            case .path: return text.wholeMatch(of: /(\/[A-Za-z0-9.\-_~]+)*/) != nil
            case .word: return text.wholeMatch(of: /[A-Za-z0-9.\-_]+/) != nil
            }
        }

        var advice: String {
            switch self {
            case .address: "Use only letters, digits and .-_~:/, without a slash at the end"
            case .path: "Use only letters, digits and .-_~/, with a slash in front and none at the end, or nothing"
            case .word: "Use only letters, digits, \".\", \"-\" and \"_\""
            }
        }
    }

    /// The text to fill in for the parameter. It is checked, so that the value cannot change other parts of an address.
    /// - Parameter others: the settings that are no parameters, one of which may be a misspelling of this parameter.
    /// - Throws: ``ConfigurationError``.
    fileprivate func text(of value: JSONValue?, at keyPath: String, amid others: [String]) throws -> String {
        guard let value, value != .null else {
            guard let text = self.default else {
                throw ConfigurationError.missingKey(keyPath: keyPath, misspelling: name.similarName(in: others))
            }
            return text
        }
        guard let text = value.stringValue else {
            throw ConfigurationError.wrongType(keyPath: keyPath, expected: "a string", found: value.kindName)
        }
        let form = Form(of: example)
        guard form.takes(text) else {
            throw ConfigurationError.invalidValue(keyPath: keyPath, reason: "\(form.advice), such as \(example).")
        }
        return text
    }
}

extension JSONValue {
    /// The schema without required and forbidden members, because a preset supplies some and adds parameters.
    var withoutRequirements: JSONValue {
        var schema = withoutRequiredMembers
        schema["additionalProperties"] = nil
        return schema
    }

    private var withoutRequiredMembers: JSONValue {
        guard let properties = self["properties"]?.objectValue else { return self }
        var schema = self
        schema["required"] = nil
        schema["properties"] = .object(properties.mapValues(\.withoutRequiredMembers))
        return schema
    }
}
