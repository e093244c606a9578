import Foundation

/// The members of a stored object, which are removed one by one while they are read. Remaining members were written by
/// a later version.
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

    /// The members of an object that `decoder` holds.
    /// - Throws: `DecodingError`.
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

    /// A token that may be missing or empty.
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

    /// A whole number that may be missing. An invalid one counts as missing.
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

    /// A list that may be missing. Any other value counts as missing.
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
