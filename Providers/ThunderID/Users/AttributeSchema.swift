import IdentityKit

/// The rules for an attribute, from the user's type.
package struct AttributeSchema: Sendable, Hashable {
    /// The type: `string`, `number`, `boolean`, `object` or `array`.
    package let type: String
    package let isRequired: Bool
    /// Whether the attribute is a password or another credential, which records do not contain.
    package let isCredential: Bool
    /// The name for people; `nil` if the server has none.
    package let displayName: String?

    /// Errors in an entered text, found before it is sent.
    package enum Problem: Sendable, Hashable {
        case missing
        /// The text is not a number.
        case notNumber
    }

    package init(
        type: String, isRequired: Bool = false, isCredential: Bool = false, displayName: String? = nil
    ) {
        self.type = type
        self.isRequired = isRequired
        self.isCredential = isCredential
        self.displayName = displayName
    }

    init(_ rules: JSONValue) {
        self.init(
            type: rules["type"]?.stringValue?.lowercased() ?? "string",
            isRequired: rules["required"]?.boolValue ?? false, isCredential: rules["credential"]?.boolValue ?? false,
            displayName: rules["displayName"]?.stringValue)
    }

    /// The value for an entered text; `null` if it is empty.
    package func value(of text: String) throws(ProblemError) -> JSONValue {
        guard !text.isEmpty else {
            if isRequired { throw ProblemError(problem: .missing) }
            return .null
        }
        switch type {
        case "boolean": return .bool(text == "true")
        case "number":
            if let integer = Int64(text) { return .integer(integer) }
            guard let number = Double(text), number.isFinite else { throw ProblemError(problem: .notNumber) }
            return .number(number)
        default: return .string(text)
        }
    }

    package struct ProblemError: Error {
        package let problem: Problem
    }
}

extension ThunderIDClient {
    /// The rules for attributes of the signed-in user's type; `nil` if the server does not have them.
    /// - Throws: ``IAMError``.
    package nonisolated(nonsending) func attributeSchemas() async throws -> [String: AttributeSchema]? {
        try await perform { try await $0.attributeSchemas(as: $0.account(nil)) }
    }
}

extension ClientEngine {
    fileprivate func attributeSchemas(as account: AccountID) async throws -> [String: AttributeSchema]? {
        try await authorized(as: account) { try await users.attributeSchemas(as: $0) }
    }
}
