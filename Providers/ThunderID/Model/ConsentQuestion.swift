import Foundation
import IdentityKit

/// The consent that a step requests. The person's decisions are the value of the step's input with the type
/// `CONSENT_INPUT`.
public struct ConsentQuestion: Sendable, Hashable {
    /// Requested attributes and permissions, grouped by purpose.
    public let purposes: [Purpose]

    /// A purpose, and the attributes and permissions that the application requests for it.
    public struct Purpose: Sendable, Hashable {
        /// The name that identifies the purpose in ``ConsentQuestion/decisions(agreeingTo:)``.
        public let name: String
        /// The description to show to the person; `nil` if the server sends none.
        public let description: String?
        public let type: String?
        /// Attributes that the sign-in requires.
        public let essential: [String]
        /// Attributes that the person may refuse.
        public let optional: [String]
    }

    /// Decodes the request that the server sends as JSON.
    /// - Returns: `nil` if the JSON is not a list of purposes, each with a name and readable lists of attributes.
    ///   Nobody can consent to such a request.
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

    /// Creates the value of the `CONSENT_INPUT`, as JSON, for a person who agrees to the attributes and permissions in
    /// `elements` and refuses all others.
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
        // Encoding strings and Booleans cannot fail.
        return (try? encoder.encode(decisions)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Reads a list of names, which are strings or objects with the member `name`. An absent list or `null` counts as
    /// empty. The result is `nil` if the value is not a list, or if an element has no name.
    private static func names(_ value: JSONValue?) -> [String]? {
        guard let value, value != .null else { return [] }
        guard let elements = value.arrayValue else { return nil }
        let names = elements.compactMap { $0.stringValue ?? $0["name"]?.stringValue }
        return names.count == elements.count ? names : nil
    }
}

extension EmbeddedFlowResponse {
    /// The request for consent; `nil` if the step has none, or if it is unreadable.
    public var consentQuestion: ConsentQuestion? {
        data?.additional("consentPrompt").flatMap(ConsentQuestion.init)
    }

    /// The time until which the server accepts a submission of the step, by the server's clock; `nil` if the server
    /// sends no readable time. A step without a time of its own ends with the flow.
    public var stepExpiresAt: Date? {
        data?.additional("stepTimeout").flatMap(Double.init)
            .flatMap { Date(outsideSecondsSince1970: $0 / 1000) }
    }

    /// The format of the one-time code that the step requests; `nil` if the step has no input for a code.
    public var oneTimeCode: OneTimeCodeFormat? { OneTimeCodeFormat(data) }
}

/// The format of a one-time code, by which an app can choose the keyboard and limit the length of the field.
public struct OneTimeCodeFormat: Sendable, Hashable {
    /// The number of characters; 6 if the server sends no readable number.
    public let length: Int
    /// Whether the code consists of digits only; `true` unless the server denies it.
    public let isNumeric: Bool
    /// Whether the server sent the code by e-mail; `false` for a text message, and if the server does not report it.
    public let wasSentByEmail: Bool

    init?(_ data: FlowStepData?) {
        guard let data, data.inputs?.contains(where: { $0.type == "OTP_INPUT" }) == true else { return nil }
        length = data.additional("otpLength").flatMap { Int($0) } ?? 6
        isNumeric = data.additional("otpNumericOnly") != "false"
        wasSentByEmail = data.additional("emailSent") == "true"
    }
}
