import Foundation

/// Finds out what a `Decodable` type reads, by letting it read: a decoder that answers every question with a sample and
/// remembers the questions. The result is a JSON Schema.
///
/// Where a type branches on an enumeration, every value is tried: a key that one branch needs and another does not is
/// optional in the result.
enum SchemaTracer {
    /// The JSON Schema of what `type` reads.
    /// - Parameter acceptsReferences: whether a `${NAME}` may stand for a boolean or a number.
    static func schema(of type: any Decodable.Type, acceptsReferences: Bool = false) -> JSONValue {
        var pending: [[String: Int]] = [[:]]
        var tried: Set<[String: Int]> = []
        var shape: SchemaShape?
        while let choices = pending.popLast(), tried.count < 256 {
            guard tried.insert(choices).inserted else { continue }
            let node = SchemaNode(path: "", run: SchemaRun(choices: choices))
            // A type may refuse the samples. What it read before counts all the same.
            _ = try? node.sample(of: type)
            shape = shape.map { $0.merged(with: node.shape) } ?? node.shape
            for (path, count) in node.run.enumerations where choices[path] == nil {
                for index in 1..<max(count, 1) { pending.append(choices.merging([path: index]) { $1 }) }
            }
        }
        return shape?.schema(acceptsReferences: acceptsReferences) ?? [:]
    }
}

/// The form of a value, as far as it was seen.
indirect enum SchemaShape: Equatable {
    case anything
    case scalar(JSONValue)
    case array(SchemaShape)
    case dictionary
    case object(members: [String: SchemaShape], required: Set<String>)

    func merged(with other: SchemaShape) -> SchemaShape {
        switch (self, other) {
        case (.object(let mine, let myRequired), .object(let theirs, let theirRequired)):
            .object(
                members: mine.merging(theirs) { $0.merged(with: $1) },
                required: myRequired.intersection(theirRequired))
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
        case .object(let members, let required):
            return .object([
                "type": "object", "additionalProperties": false,
                "properties": .object(members.mapValues { $0.schema(acceptsReferences: acceptsReferences) }),
                "required": .array(required.sorted().map(JSONValue.string)),
            ])
        }
    }
}

/// What one run along a type decides and meets.
final class SchemaRun {
    /// Which value of the enumeration at a path is answered; the first where nothing is said.
    let choices: [String: Int]
    /// The enumerations that were met, with the number of their values.
    var enumerations: [String: Int] = [:]

    init(choices: [String: Int]) {
        self.choices = choices
    }
}
