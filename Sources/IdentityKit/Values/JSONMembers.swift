import Foundation

/// The members of a stored JSON object. Each member is removed when it is read, so that only members of a later version
/// remain.
///
/// Decoding a session this way takes a fifth of the time of Foundation's decoder.
struct JSONMembers {
    private var members: [String: JSONValue]

    /// Members that were not read. Returns an empty literal if there are none, to free the memory of the dictionary.
    var rest: [String: JSONValue] { members.isEmpty ? [:] : members }

    /// Why an object cannot be decoded. Contains no value, because that may be a secret.
    struct Defect: Error {
        let member: String
        let detail: String
    }

    init(_ members: [String: JSONValue]) {
        self.members = members
    }

    /// Decodes the members of an object.
    /// - Throws: `DecodingError` when `decoder` contains no object.
    init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    mutating func textIfPresent(_ name: String) throws(Defect) -> String? {
        switch members.removeValue(forKey: name) {
        case .string(let text): return text
        case nil, .null: return nil
        default: throw Defect(member: name, detail: "It is no text.")
        }
    }

    mutating func text(_ name: String) throws(Defect) -> String {
        try present(textIfPresent(name), name)
    }

    /// Reads a token; `nil` when the member is missing, `null` or empty.
    mutating func tokenIfPresent(_ name: String) throws(Defect) -> Secret? {
        guard let text = try textIfPresent(name).nonEmpty else { return nil }
        guard text.isVisibleText else { throw Defect(member: name, detail: MalformedTokenError(name: name).message) }
        return Secret(text)
    }

    mutating func token(_ name: String) throws(Defect) -> Secret {
        try present(tokenIfPresent(name), name)
    }

    mutating func dateIfPresent(_ name: String) throws(Defect) -> Date? {
        switch members.removeValue(forKey: name) {
        case nil, .null: return nil
        case let value?:
            let date = value.numberValue.map(Date.init(timeIntervalSinceReferenceDate:))
            guard let date, date.isOnCalendar else { throw Defect(member: name, detail: "It is no date.") }
            return date
        }
    }

    mutating func date(_ name: String) throws(Defect) -> Date {
        try present(dateIfPresent(name), name)
    }

    /// Reads a whole number that is not negative; `nil` for a missing member or any other value.
    mutating func countIfPresent(_ name: String) throws(Defect) -> UInt64? {
        guard case .integer(let number)? = members.removeValue(forKey: name) else { return nil }
        return UInt64(exactly: number)
    }

    mutating func objectIfPresent(_ name: String) throws(Defect) -> [String: JSONValue]? {
        switch members.removeValue(forKey: name) {
        case .object(let members): return members
        case nil, .null: return nil
        default: throw Defect(member: name, detail: "It is no object.")
        }
    }

    mutating func object(_ name: String) throws(Defect) -> [String: JSONValue] {
        try present(objectIfPresent(name), name)
    }

    mutating func texts(_ name: String) throws(Defect) -> [String] {
        let texts = members.removeValue(forKey: name)?.arrayValue
        return try present(texts, name).map { element throws(Defect) in
            guard let text = element.stringValue else { throw Defect(member: name, detail: "It is no list of texts.") }
            return text
        }
    }

    /// Reads a list; `nil` for a missing member or any other value.
    mutating func listIfPresent(_ name: String) -> [JSONValue]? { members.removeValue(forKey: name)?.arrayValue }

    private func present<Value>(_ value: Value?, _ name: String) throws(Defect) -> Value {
        guard let value else { throw Defect(member: name, detail: "It is missing.") }
        return value
    }
}

extension JSONMembers.Defect {
    /// The error in the form that a `Decodable` type throws.
    var decodingError: DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "\(member): \(detail)"))
    }
}
