import Foundation
import IdentityKit

extension LocalThunderIDServer {
    /// A value that a flow asks for (`data.inputs`).
    public struct FlowInput: Sendable, Equatable {
        /// How components refer to it; inputs that a task contributes have none.
        public var ref: String?
        /// The key of the input in a submission.
        public let identifier: String
        /// The wire's type, such as `TEXT_INPUT`. Anything may stand here, as administrators write it.
        public var type: String
        /// Whether the flow needs it. The flow asks for an optional one once.
        public var isRequired: Bool
        /// The choices of a `SELECT`.
        public var options: [String]
        /// Rules that a value must satisfy.
        public var validation: [Rule]
        /// Whether a value counts once.
        public var isOneTimeUse: Bool

        /// A required text by default.
        public init(
            ref: String? = nil, identifier: String, type: String = "TEXT_INPUT", isRequired: Bool = true,
            options: [String] = [], validation: [Rule] = [], isOneTimeUse: Bool = false
        ) {
            (self.ref, self.identifier, self.type, self.isRequired) = (ref, identifier, type, isRequired)
            (self.options, self.validation, self.isOneTimeUse) = (options, validation, isOneTimeUse)
        }

        /// A rule for a value (`validation`).
        public struct Rule: Sendable, Equatable {
            /// Subjects of a rule; lengths count characters.
            public enum Kind: Sendable, Equatable {
                /// A pattern that must match somewhere in the value.
                case regex(String)
                /// How many characters there must be.
                case minLength(Int)
                /// How many characters there may be.
                case maxLength(Int)
            }

            /// Subject of the rule.
            public let kind: Kind
            /// The message for a value that does not satisfy it; `nil` for the name of a translation.
            public let message: String?

            /// A rule, with or without a text of its own.
            public init(_ kind: Kind, message: String? = nil) {
                self.kind = kind
                self.message = message
            }
        }
    }
}

typealias FlowInput = LocalThunderIDServer.FlowInput

extension FlowInput {
    static func text(_ identifier: String, ref: String? = nil) -> FlowInput {
        FlowInput(ref: ref, identifier: identifier)
    }

    static func password(ref: String) -> FlowInput {
        FlowInput(ref: ref, identifier: "password", type: "PASSWORD_INPUT")
    }

    /// A value that a task needs from a program, not from a person.
    static func machine(_ identifier: String, isRequired: Bool = true) -> FlowInput {
        FlowInput(identifier: identifier, type: "string", isRequired: isRequired)
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "identifier": .string(identifier), "type": .string(type), "required": .bool(isRequired),
        ]
        members["ref"] = ref.map(JSONValue.string)
        if !options.isEmpty { members["options"] = .array(options.map(JSONValue.string)) }
        if !validation.isEmpty { members["validation"] = .array(validation.map(\.json)) }
        if isOneTimeUse { members["oneTimeUse"] = true }
        return .object(members)
    }
}

extension FlowInput.Rule {
    /// Whether `value` satisfies it; a pattern may match anywhere.
    func accepts(_ value: String) -> Bool {
        switch kind {
        case .regex(let pattern): value.range(of: pattern, options: .regularExpression) != nil
        case .minLength(let length): value.unicodeScalars.count >= length
        case .maxLength(let length): value.unicodeScalars.count <= length
        }
    }

    var complaint: String {
        if let message { return message }
        return switch kind {
        case .regex: "validation.pattern.invalid"
        case .minLength: "validation.minLength.invalid"
        case .maxLength: "validation.maxLength.invalid"
        }
    }

    fileprivate var json: JSONValue {
        let (type, value): (String, JSONValue) =
            switch kind {
            case .regex(let pattern): ("regex", .string(pattern))
            case .minLength(let length): ("minLength", .integer(Int64(length)))
            case .maxLength(let length): ("maxLength", .integer(Int64(length)))
            }
        var members: [String: JSONValue] = ["type": .string(type), "value": value]
        members["message"] = message.map(JSONValue.string)
        return .object(members)
    }
}
