import Foundation
import IdentityKit

@testable import IdentityLocalServers

/// What two JSON documents have in common when they differ only in their values: member names and types, recursively.
///
/// A string that is a JWT has a shape of its own, that of its header and its claims.
indirect enum JSONShape: Equatable {
    case null
    case boolean
    case number
    case string
    case token(header: JSONShape, claims: JSONShape)
    case array([JSONShape])
    case object([String: JSONShape])

    init(of value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .integer, .number: self = .number
        case .string(let text): self = Self.token(text) ?? .string
        case .array(let elements): self = .array(elements.map(JSONShape.init(of:)))
        case .object(let members): self = .object(members.mapValues(JSONShape.init(of:)))
        }
    }

    /// How `other` differs from this shape, one line per place; empty when it does not.
    func differences(in other: JSONShape, at path: String = "$") -> [String] {
        switch (self, other) {
        case (.object(let expected), .object(let actual)):
            let missing = expected.keys.filter { actual[$0] == nil }.map { "\(path).\($0) is missing" }
            let added = actual.keys.filter { expected[$0] == nil }.map { "\(path).\($0) is not expected" }
            let changed = expected.flatMap { name, shape in
                actual[name].map { shape.differences(in: $0, at: "\(path).\(name)") } ?? []
            }
            return (missing + added + changed).sorted()
        case (.array(let expected), .array(let actual)):
            let changed = zip(expected, actual).enumerated().flatMap { index, pair in
                pair.0.differences(in: pair.1, at: "\(path)[\(index)]")
            }
            guard expected.count != actual.count else { return changed }
            return changed + ["\(path) has \(actual.count) elements instead of \(expected.count)"]
        case (.token(let expectedHeader, let expectedClaims), .token(let header, let claims)):
            return expectedHeader.differences(in: header, at: "\(path)<header>")
                + expectedClaims.differences(in: claims, at: "\(path)<claims>")
        default:
            return self == other ? [] : ["\(path) is \(other.kindName) instead of \(kindName)"]
        }
    }

    private var kindName: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .token: "a JWT"
        case .array: "an array"
        case .object: "an object"
        }
    }

    private static func token(_ text: String) -> JSONShape? {
        SignedMessage(text).map { .token(header: JSONShape(of: $0.header), claims: JSONShape(of: $0.claims)) }
    }
}

extension JSONShape {
    /// The shape of a JSON document; `nil` for any other text.
    init?(ofDocument text: String) {
        guard let value = try? JSONValue(parsing: Data(text.utf8)) else { return nil }
        self.init(of: value)
    }
}
