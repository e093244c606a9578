import Foundation
import IdentityKit

/// The question what a person shares, in a step with an input of the type `CONSENT_INPUT`.
public struct ConsentQuestion: Sendable, Hashable {
    /// Requested attributes and permissions, grouped by purpose.
    public let purposes: [Purpose]

    /// A purpose of the request for consent.
    public struct Purpose: Sendable, Hashable {
        /// The purpose's name, for the decisions.
        public let name: String
        /// The purpose in the server's words.
        public let description: String?
        public let type: String?
        /// Attributes that the sign-in requires.
        public let essential: [String]
        /// Attributes that the person may refuse.
        public let optional: [String]
    }

    /// Reads the question.
    /// - Returns: `nil` when it cannot be understood; then it cannot be agreed to.
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

    /// The value of the step's input when the person agrees to `elements` and to nothing else.
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
        // Texts and booleans always encode.
        return (try? encoder.encode(decisions)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Names, written plainly or as objects; an absent list is an empty one.
    private static func names(_ value: JSONValue?) -> [String]? {
        guard let value, value != .null else { return [] }
        guard let elements = value.arrayValue else { return nil }
        let names = elements.compactMap { $0.stringValue ?? $0["name"]?.stringValue }
        return names.count == elements.count ? names : nil
    }
}

extension EmbeddedFlowResponse {
    /// The question what to share; `nil` when the step asks for nothing of that kind.
    public var consentQuestion: ConsentQuestion? {
        data?.additional("consentPrompt").flatMap(ConsentQuestion.init)
    }

    /// Until when the step can be submitted, by the server's clock; `nil` when it can be for as long as the flow lives.
    public var stepExpiresAt: Date? {
        data?.additional("stepTimeout").flatMap(Double.init)
            .flatMap { Date(outsideSecondsSince1970: $0 / 1000) }
    }

    /// How a one-time code looks, when the step asks for one.
    public var oneTimeCode: OneTimeCodeFormat? { OneTimeCodeFormat(data) }
}

/// How a one-time code looks.
public struct OneTimeCodeFormat: Sendable, Hashable {
    /// How many characters it has.
    public let length: Int
    /// Whether it consists of digits alone.
    public let isNumeric: Bool
    /// Whether it was sent by e-mail; otherwise by a message to a telephone, or the server does not say.
    public let wasSentByEmail: Bool

    init?(_ data: FlowStepData?) {
        guard let data, data.inputs?.contains(where: { $0.type == "OTP_INPUT" }) == true else { return nil }
        length = data.additional("otpLength").flatMap { Int($0) } ?? 6
        isNumeric = data.additional("otpNumericOnly") != "false"
        wasSentByEmail = data.additional("emailSent") == "true"
    }
}
