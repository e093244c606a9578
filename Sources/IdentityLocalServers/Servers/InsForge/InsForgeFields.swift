import Foundation
import IdentityKit

/// Reads the fields of a body or a query, and collects all complaints in the wording of the server's validator.
///
/// The methods return an empty value or `nil` for a field that is missing or has the wrong type. Read all fields, and then call
/// ``check()``, which throws if there are complaints.
struct InsForgeFields {
    /// A requirement on a string, with the message for a violation.
    struct Rule {
        let complaint: String
        let accepts: (String) -> Bool
    }

    private var members: [String: JSONValue]
    private let isObject: Bool
    private var complaints: [String] = []

    init(body: JSONValue?) {
        members = body?.objectValue ?? [:]
        isObject = body?.objectValue != nil
    }

    /// Reads the parameters of a query. A repeated parameter counts as an array.
    init(query: [LocalRequest.Parameter]) {
        members = Dictionary(grouping: query, by: \.name).mapValues { values in
            values.count == 1 ? .string(values[0].value) : .array(values.map { .string($0.value) })
        }
        isObject = true
    }

    /// Reads the member `alias` as `name`, if `name` is absent or `null`.
    mutating func read(_ alias: String, as name: String) {
        if !has(name), let value = members[alias] { members[name] = value }
    }

    /// Throws one `INVALID_INPUT` that lists all complaints, or says that the body is not an object.
    func check() throws {
        guard isObject else { throw InsForgeServerError.invalidInput(": Expected object, received array") }
        guard complaints.isEmpty else { throw InsForgeServerError.invalidInput(complaints.joined(separator: ", ")) }
    }

    mutating func string(_ name: String, missing: String = "Required", _ rules: Rule...) -> String {
        guard let value = members[name] else {
            complain(about: name, missing)
            return ""
        }
        return text(value, name: name, rules: rules) ?? ""
    }

    /// A string that may be absent, but not `null`.
    mutating func optionalString(_ name: String, _ rules: Rule...) -> String? {
        members[name].flatMap { text($0, name: name, rules: rules) }
    }

    /// An e-mail address, which is validated before it is lowercased.
    mutating func email(_ name: String = "email") -> String { string(name, .email).lowercased() }

    /// Returns a display name without surrounding white space; `nil` if the field is absent or not a string.
    mutating func optionalName(_ name: String = "name") -> String? {
        optionalString(
            name, Rule(complaint: "Name is required") { !$0.trimmed.isEmpty },
            Rule(complaint: "Name must be less than 100 characters") { $0.trimmed.utf16.count <= 100 }
        )?.trimmed
    }

    mutating func optionalBool(_ name: String) -> Bool? { optionalValue(name, "boolean", \.boolValue) }

    mutating func optionalNumber(_ name: String) -> Double? { optionalValue(name, "number", \.numberValue) }

    private mutating func optionalValue<Value>(
        _ name: String, _ type: String, _ content: KeyPath<JSONValue, Value?>
    ) -> Value? {
        guard let value = members[name] else { return nil }
        if value[keyPath: content] == nil { complain(about: name, "Expected \(type), received \(value.zodType)") }
        return value[keyPath: content]
    }

    /// Adds a complaint if there are members other than `names`.
    mutating func allowOnly(_ names: Set<String>) {
        let others = members.keys.filter { !names.contains($0) }.sorted()
        guard !others.isEmpty else { return }
        complain(about: "", "Unrecognized key(s) in object: " + others.map { "'\($0)'" }.joined(separator: ", "))
    }

    mutating func bool(_ name: String) -> Bool {
        if members[name] == nil { complain(about: name, "Required") }
        return optionalBool(name) ?? false
    }

    mutating func object(_ name: String) -> [String: JSONValue] {
        if members[name] == nil { complain(about: name, "Required") }
        return optionalValue(name, "object", \.objectValue) ?? [:]
    }

    func has(_ name: String) -> Bool { members[name].map { $0 != .null } ?? false }

    /// Returns the parameters other than `known`. A repeated parameter is left out and causes a complaint.
    mutating func otherStrings(besides known: Set<String>) -> [String: String] {
        var others: [String: String] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
            others[name] = text(value, name: name, rules: [])
        }
        return others
    }

    mutating func complain(about name: String, _ complaint: String) { complaints.append("\(name): \(complaint)") }

    private mutating func text(_ value: JSONValue, name: String, rules: [Rule]) -> String? {
        guard let text = value.stringValue else {
            complain(about: name, "Expected string, received \(value.zodType)")
            return nil
        }
        for rule in rules where !rule.accepts(text) { complain(about: name, rule.complaint) }
        return text
    }
}

extension InsForgeFields.Rule {
    static var email: Self {
        Self(complaint: "Invalid email format") {
            $0.wholeMatch(
                of: #/(?i)(?!\.)(?!.*\.\.)[A-Z0-9_'+\-.]*[A-Z0-9_+\-]@(?:[A-Z0-9][A-Z0-9\-]*\.)+[A-Z]{2,}/#) != nil
        }
    }

    static var url: Self { Self(complaint: "Invalid url") { WebURL($0) != nil } }

    static func notEmpty(_ complaint: String) -> Self { Self(complaint: complaint) { !$0.isEmpty } }

    /// Exactly six ASCII digits.
    static func sixDigits(_ label: String) -> Self {
        Self(complaint: "\(label) must be a 6-digit numeric code") {
            $0.utf8.count == 6 && $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
    }
}

extension InsForgeFields {
    /// Returns a code challenge or verifier: 43 to 128 unreserved characters (RFC 7636 sections 4.1 and 4.2).
    mutating func proofKey(_ name: String, label: String) -> String {
        string(
            name,
            Rule(complaint: "\(label) must be at least 43 characters") { $0.utf16.count >= 43 },
            Rule(complaint: "\(label) must be at most 128 characters") { $0.utf16.count <= 128 },
            Rule(complaint: "\(label) must be base64url encoded") {
                $0.wholeMatch(of: #/[A-Za-z0-9._~\-]+/#) != nil
            }
        )
    }
}

extension String {
    /// The text without white space at its beginning and its end.
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

extension JSONValue {
    /// The name of the value's type in the validator's messages.
    fileprivate var zodType: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
