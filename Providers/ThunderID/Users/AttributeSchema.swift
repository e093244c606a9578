import IdentityKit

/// The server's rules for an attribute of a user. The server has such rules for each type of user.
package struct AttributeSchema: Sendable, Hashable {
    /// The type of the values: `string` (the default), `number`, `boolean`, `object` or `array`.
    package let type: String
    package let isRequired: Bool
    /// Whether the attribute is a credential, such as a password. The records of users do not contain credentials.
    package let isCredential: Bool
    /// The attribute's name for people; `nil` if the server has none.
    package let displayName: String?

    /// Errors in a text that a person entered, found before the text is sent.
    package enum Problem: Sendable, Hashable {
        /// The attribute is required, and the text is empty.
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

    /// Converts a text that a person entered to the attribute's type; returns `null` for an empty text. Objects and arrays
    /// are not converted and stay texts.
    /// - Throws: ``ProblemError`` for an empty text if the attribute is required, and for a text that is not a number if the
    ///   attribute's type is `number`.
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
    /// Fetches the rules for the attributes of the signed-in user, by attribute name; `nil` if the server does not return
    /// them, as with SCIM.
    /// - Throws: ``IAMError``, or `CancellationError`.
    package nonisolated(nonsending) func attributeSchemas() async throws -> [String: AttributeSchema]? {
        try await perform { try await $0.attributeSchemas(as: $0.account(nil)) }
    }
}

extension ClientEngine {
    fileprivate func attributeSchemas(as account: AccountID) async throws -> [String: AttributeSchema]? {
        try await authorized(as: account) { try await users.attributeSchemas(as: $0) }
    }
}
