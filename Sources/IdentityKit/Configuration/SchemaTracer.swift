/// Makes a JSON Schema from a `Decodable` type, with a decoder that returns samples and records what the type reads.
///
/// Where a type branches on an enumeration, every value is tried. A key that not every branch needs is optional.
enum SchemaTracer {
    /// JSON Schema of the documents that `type` decodes.
    /// - Parameters:
    ///   - acceptsReferences: whether a `${NAME}` may replace a boolean or a number.
    ///   - chosen: for each path such as `.type`, the index of the only value of its enumeration to try.
    static func schema(
        of type: any Decodable.Type, acceptsReferences: Bool = false
    ) -> JSONValue {
        shape(of: type, combining: true)?.schema(acceptsReferences: acceptsReferences) ?? [:]
    }

    /// The descriptions that `type` gives of its settings, when it reads them with a ``SettingsReader``.
    static func descriptions(of type: any Decodable.Type) -> [SettingDescription] {
        guard case .object(_, _, let descriptions)? = shape(of: type) else { return [] }
        return Array(descriptions.values)
    }

    /// Traces what `type` reads, once for each value of its enumerations.
    /// - Parameter combining: whether values of enumerations that do not depend on each other are combined, too.
    private static func shape(
        of type: any Decodable.Type, choosing chosen: [String: Int] = [:], combining: Bool = false
    ) -> SchemaShape? {
        var pending = [Trial(choices: chosen)]
        var tried: Set<[String: Int]> = []
        var shape: SchemaShape?
        while let trial = pending.popLast(), tried.count < 256 {
            guard tried.insert(trial.choices).inserted else { continue }
            let node = SchemaNode(path: "", run: SchemaRun(choices: trial.choices))
            // Types may refuse the samples. Everything read before that is recorded.
            _ = try? node.sample(of: type)
            let read = node.shape
            // Values that do not change what is read are not combined with others.
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
        /// Index of the chosen value by enumeration; the first value where none is given.
        let choices: [String: Int]
        /// The enumerations whose values are not varied any more.
        var known: Set<String> = []
        /// The shape that results without the last choice, to compare with.
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
    /// Index of the sample value by the path of its enumeration; by default the first.
    let choices: [String: Int]
    /// Number of values of each enumeration that was read, by path.
    var enumerations: [String: Int] = [:]

    init(choices: [String: Int]) {
        self.choices = choices
    }
}
