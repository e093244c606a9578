import Foundation
import IdentityKit

extension LocalThunderIDServer {
    /// An input that a flow asks for (`data.inputs`).
    public struct FlowInput: Sendable, Equatable {
        /// The `id` of the component in `data.meta` that shows the input; `nil` for most inputs that a task of the flow
        /// requests itself, without a prompt.
        public var ref: String?
        /// The name of the value among the `inputs` of a flow call.
        public let identifier: String
        /// The type, such as `TEXT_INPUT`. Administrators may write any text here.
        public var type: String
        /// Whether the flow requires the input. The flow asks for an optional input only once.
        public var isRequired: Bool
        /// The choices of a `SELECT` or `OU_SELECT`; empty for other types.
        public var options: [String]
        /// Rules that a value must satisfy. The response has an entry in `fieldErrors` for each violated rule.
        public var validation: [Rule]
        /// Whether the response marks the input as usable only once (`oneTimeUse`). The server does not enforce it.
        public var isOneTimeUse: Bool

        /// Creates an input, by default a required text.
        public init(
            ref: String? = nil, identifier: String, type: String = "TEXT_INPUT", isRequired: Bool = true,
            options: [String] = [], validation: [Rule] = [], isOneTimeUse: Bool = false
        ) {
            (self.ref, self.identifier, self.type, self.isRequired) = (ref, identifier, type, isRequired)
            (self.options, self.validation, self.isOneTimeUse) = (options, validation, isOneTimeUse)
        }

        /// A rule for a value (`validation`).
        public struct Rule: Sendable, Equatable {
            /// Conditions of rules. Lengths count Unicode scalars.
            public enum Kind: Sendable, Equatable {
                /// A pattern that must match somewhere in the value.
                case regex(String)
                /// The minimum number of Unicode scalars in the value.
                case minLength(Int)
                /// The maximum number of Unicode scalars in the value.
                case maxLength(Int)
            }

            /// The condition that a value must satisfy, such as a minimum length.
            public let kind: Kind
            /// The message for an invalid value; `nil` for the key of a built-in text, such as
            /// `validation.minLength.invalid`.
            public let message: String?

            /// Creates a rule. Without a message, an invalid value gets the key of a built-in text.
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

    /// An input that a program supplies, not a person.
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
    /// Whether `value` satisfies the rule; a pattern may match any part of it.
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
