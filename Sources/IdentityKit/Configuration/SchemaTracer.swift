/// Makes a JSON Schema from a `Decodable` type, with a decoder that returns samples and records what the type reads.
///
/// If the keys that a type reads depend on the value of an enumeration, the type is decoded once for each value. A key
/// is required only if it is required for every value.
enum SchemaTracer {
    /// Returns the JSON Schema of the documents that `type` decodes.
    /// - Parameters:
    ///   - type: the type that decodes.
    ///   - acceptsReferences: whether a reference such as `${NAME}` may replace a boolean or a number.
    static func schema(
        of type: any Decodable.Type, acceptsReferences: Bool = false
    ) -> JSONValue {
        shape(of: type, combining: true)?.schema(acceptsReferences: acceptsReferences) ?? [:]
    }

    /// Returns the descriptions of the settings that `type` reads with a ``SettingsReader``, in no particular order; empty
    /// for any other type. Members of nested objects are not included.
    static func descriptions(of type: any Decodable.Type) -> [SettingDescription] {
        guard case .object(_, _, let descriptions)? = shape(of: type) else { return [] }
        return Array(descriptions.values)
    }

    /// Decodes `type` from samples, and records the keys and types that it reads. Repeats this for the values of its
    /// enumerations, but at most 256 times.
    /// - Parameters:
    ///   - type: the type that decodes.
    ///   - combining: whether combinations of the values of independent enumerations are tried. If not, each value of
    ///     one enumeration is tried while the others have their first value.
    /// - Returns: the merged shapes of all trials.
    private static func shape(of type: any Decodable.Type, combining: Bool = false) -> SchemaShape? {
        var pending = [Trial(choices: [:])]
        var tried: Set<[String: Int]> = []
        var shape: SchemaShape?
        while let trial = pending.popLast(), tried.count < 256 {
            guard tried.insert(trial.choices).inserted else { continue }
            let node = SchemaNode(path: "", run: SchemaRun(choices: trial.choices))
            // The type may refuse a sample. The node has then recorded the keys that were read before the error.
            _ = try? node.sample(of: type)
            let read = node.shape
            // If the last chosen value leaves the shape unchanged, do not combine it with values of other enumerations.
            guard read != trial.without else { continue }
            shape = shape.map { $0.merged(with: read) } ?? read
            let found = node.run.enumerations.filter { trial.choices[$0.key] == nil && !trial.known.contains($0.key) }
            for (path, count) in found {
                for index in 1..<max(count, 1) {
                    pending.append(
                        Trial(
                            choices: trial.choices.merging([path: index]) { $1 },
                            known: combining ? [] : trial.known.union(found.keys), without: read))
                }
            }
        }
        return shape
    }

    private struct Trial {
        /// Index of the chosen value by the path of the enumeration. An enumeration without an entry has its first value.
        let choices: [String: Int]
        /// Paths of the enumerations whose values all have a trial already, so that this trial adds none for them. Always
        /// empty if combinations of values are tried.
        var known: Set<String> = []
        /// The shape before the last choice was added, to find out whether the choice changes it; `nil` in the first trial.
        var without: SchemaShape?
    }
}

indirect enum SchemaShape: Equatable {
    case anything
    case scalar(JSONValue)
    case array(SchemaShape)
    case dictionary
    case object(members: [String: SchemaShape], required: Set<String>, descriptions: [String: SettingDescription])

    func merged(with other: SchemaShape) -> SchemaShape {
        switch (self, other) {
        case (.object(let mine, let myRequired, let texts), .object(let theirs, let theirRequired, let others)):
            .object(
                members: mine.merging(theirs) { $0.merged(with: $1) },
                required: myRequired.intersection(theirRequired),
                descriptions: texts.merging(others) { mine, _ in mine })
        case (.array(let mine), .array(let theirs)): .array(mine.merged(with: theirs))
        case (.anything, _): other
        default: self
        }
    }

    func schema(acceptsReferences: Bool) -> JSONValue {
        switch self {
        case .anything:
            return [:]
        case .scalar(let schema):
            guard acceptsReferences, schema["type"] != "string", schema["enum"] == nil else { return schema }
            return ["anyOf": [schema, ["type": "string", "pattern": "^\\$\\{.+\\}$"]]]
        case .array(let element):
            return ["type": "array", "items": element.schema(acceptsReferences: acceptsReferences)]
        case .dictionary:
            return ["type": "object"]
        case .object(let members, let required, let descriptions):
            let properties = members.map { key, member -> (String, JSONValue) in
                let schema = member.schema(acceptsReferences: acceptsReferences)
                return (key, schema.merged(with: .object(descriptions[key]?.annotations ?? [:])))
            }
            return .object([
                "type": "object", "additionalProperties": false,
                "properties": .object(Dictionary(uniqueKeysWithValues: properties)),
                "required": .array(required.sorted().map(JSONValue.string)),
            ])
        }
    }
}

final class SchemaRun {
    /// Index of the sample value by the path of its enumeration. An enumeration without an entry has its first value.
    let choices: [String: Int]
    /// Number of values of each enumeration that was read, by the path of the enumeration.
    var enumerations: [String: Int] = [:]

    init(choices: [String: Int]) {
        self.choices = choices
    }
}
