import Foundation
import IdentityKit

/// The request for consent in a step, for its input of the type `CONSENT_INPUT`.
public struct ConsentQuestion: Sendable, Hashable {
    /// Requested attributes and permissions, grouped by purpose.
    public let purposes: [Purpose]

    /// A purpose of the request for consent.
    public struct Purpose: Sendable, Hashable {
        /// The purpose's name, for the decisions.
        public let name: String
        /// Description of the purpose, from the server.
        public let description: String?
        public let type: String?
        /// Attributes that the sign-in requires.
        public let essential: [String]
        /// Attributes that the person may refuse.
        public let optional: [String]
    }

    /// Decodes a request.
    /// - Returns: `nil` if it is unreadable, so that nobody can consent to it.
    init?(_ json: String) {
        guard let purposes = (try? JSONValue(parsing: Data(json.utf8)))?.arrayValue else { return nil }
        var read: [Purpose] = []
        for purpose in purposes {
            let name = purpose["purposeName"]?.stringValue ?? purpose["purpose_name"]?.stringValue
            guard let name, let essential = Self.names(purpose["essential"]),
                let optional = Self.names(purpose["optional"])
            else { return nil }
            read.append(
                Purpose(
                    name: name, description: purpose["description"]?.stringValue, type: purpose["type"]?.stringValue,
                    essential: essential, optional: optional))
        }
        self.purposes = read
    }

    /// The value of the step's input for a person who agrees to `elements` and nothing else.
    public func decisions(agreeingTo elements: Set<String>) -> String {
        let purposes = purposes.map { purpose -> JSONValue in
            let names = purpose.essential + purpose.optional
            let agreesToEssential = purpose.essential.allSatisfy(elements.contains)
            return [
                "purposeName": .string(purpose.name),
                "approved": .bool(agreesToEssential && (names.isEmpty || names.contains(where: elements.contains))),
                "elements": .array(
                    names.map { ["name": .string($0), "approved": .bool(elements.contains($0))] }),
            ]
        }
        let essential = self.purposes.flatMap(\.essential)
        let decisions: JSONValue = [
            "approved": .bool(essential.allSatisfy(elements.contains)), "purposes": .array(purposes),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and Booleans always encode.
        return (try? encoder.encode(decisions)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Names, given as texts or as objects; an absent list counts as empty.
    private static func names(_ value: JSONValue?) -> [String]? {
        guard let value, value != .null else { return [] }
        guard let elements = value.arrayValue else { return nil }
        let names = elements.compactMap { $0.stringValue ?? $0["name"]?.stringValue }
        return names.count == elements.count ? names : nil
    }
}

extension EmbeddedFlowResponse {
    /// The request for consent; `nil` if the step has none.
    public var consentQuestion: ConsentQuestion? {
        data?.additional("consentPrompt").flatMap(ConsentQuestion.init)
    }

    /// The time until which the step can be submitted, by the server's clock; `nil` if only the flow's lifetime limits it.
    public var stepExpiresAt: Date? {
        data?.additional("stepTimeout").flatMap(Double.init)
            .flatMap { Date(outsideSecondsSince1970: $0 / 1000) }
    }

    /// The form of the one-time code that the step asks for; `nil` if it asks for none.
    public var oneTimeCode: OneTimeCodeFormat? { OneTimeCodeFormat(data) }
}

/// The form of a one-time code.
public struct OneTimeCodeFormat: Sendable, Hashable {
    /// The number of characters.
    public let length: Int
    /// Whether the code consists of digits only.
    public let isNumeric: Bool
    /// Whether the code was sent by e-mail; false for a text message, and if the server does not say.
    public let wasSentByEmail: Bool

    init?(_ data: FlowStepData?) {
        guard let data, data.inputs?.contains(where: { $0.type == "OTP_INPUT" }) == true else { return nil }
        length = data.additional("otpLength").flatMap { Int($0) } ?? 6
        isNumeric = data.additional("otpNumericOnly") != "false"
        wasSentByEmail = data.additional("emailSent") == "true"
    }
}
