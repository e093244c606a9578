extension ProviderPreset {
    /// Returns the settings for the base type. The parameters are inserted into the settings of the preset, and the
    /// other given settings are merged over the result.
    /// - Parameters:
    ///   - given: the settings of a configuration.
    ///   - keyPath: the key path of `given`, for errors.
    /// - Throws: ``ConfigurationError`` if `given` is no object, and for a parameter that is missing and has no default, is
    ///   no string, or does not have the form of its example.
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

    /// Adds the names of the parameters to the known keys of `error`, if the base type threw it for an unknown key at the
    /// top of its settings. Any other error is returned unchanged.
    func naming(_ error: ConfigurationError, at keyPath: String) -> ConfigurationError {
        guard case .unknownKey(let place, let known) = error,
            place.hasPrefix("\(keyPath)."), !place.dropFirst(keyPath.count + 1).contains(".")
        else { return error }
        return .unknownKey(keyPath: place, known: (known + parameters.map(\.name)).sorted())
    }

    /// Returns the JSON Schema of the preset's settings.
    /// - Parameters:
    ///   - base: the schema of the base type.
    ///   - reference: the URI of the schema that ``JSONValue/withoutRequirements`` makes from `base`, such as
    ///     `#/$defs/oauth2-of-presets`.
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
        /// An empty text, or a path with a leading slash and none at the end.
        case path
        /// A host or an identifier: letters, digits, `.`, `-` and `_`.
        case word

        init(of example: String) {
            self = example.contains("://") ? .address : example.hasPrefix("/") ? .path : .word
        }

        /// Whether `text` has this form. Such a text can be inserted safely into an address, because it has no characters
        /// that begin a query or user information, and no segments such as `..`.
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

    /// Returns the text to fill in for the parameter: the configured value, or the default if there is none. A configured
    /// value is checked, so that it cannot change other components of an address.
    /// - Parameters:
    ///   - value: the configured value; `nil` or `null` for the default.
    ///   - keyPath: the key path of the parameter, for errors.
    ///   - others: the names of the given settings that are no parameters, to find a misspelling of this parameter.
    /// - Throws: ``ConfigurationError`` for a missing value without a default, and for a value that is no string or does
    ///   not have the form of the example.
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
    /// Returns the schema with all members optional, because a preset supplies some of them. The outermost object also lacks
    /// `additionalProperties`, because a preset adds parameters.
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
