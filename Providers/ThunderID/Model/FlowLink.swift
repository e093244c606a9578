import Foundation
import IdentityKit

/// A link mailed to a person, which continues a waiting flow.
public struct FlowLink: Sendable, Hashable {
    /// Identifier of the waiting flow.
    public let flowId: String
    /// Identifier of the flow's application, if the link names it.
    public let applicationId: String?
    /// Values in the link by input name: `inviteToken` of an invitation or a recovery, or the token of a magic link.
    public let inputs: [String: String]

    /// Reads a link.
    /// - Returns: `nil` if the link does not continue a flow.
    public init?(_ url: URL) {
        guard var values = Self.parameters(of: url) else { return nil }
        // Invitations and magic links have different parameter names for the execution.
        let identifier = values.removeValue(forKey: "executionId") ?? values.removeValue(forKey: "id")
        guard let flowId = identifier, !flowId.isEmpty else { return nil }
        self.flowId = flowId
        applicationId = values.removeValue(forKey: "applicationId")
        values["authId"] = nil
        inputs = values.filter { $0.key.lowercased().hasSuffix("token") && !$0.value.isEmpty }
        guard !inputs.isEmpty else { return nil }
    }

    /// The parameters of a link; `nil` if one is repeated, which no link of the server does.
    private static func parameters(of url: URL) -> [String: String]? {
        var values: [String: String] = [:]
        for item in URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQueryItems ?? [] {
            guard let value = item.value?.replacing("+", with: " ").removingPercentEncoding,
                values.updateValue(value, forKey: item.name) == nil
            else { return nil }
        }
        return values
    }

    /// The payload that continues the flow. The link's token replaces the challenge token.
    public var payload: EmbeddedSignInPayload { EmbeddedSignInPayload(flowId: flowId, inputs: inputs) }
}

extension FlowLink: CustomStringConvertible, CustomReflectable {
    public var description: String { "FlowLink(\(flowId))" }
    public var customMirror: Mirror { Mirror(self, children: ["flowId": flowId]) }
}

extension EmbeddedFlowResponse {
    /// The payload for a step that waits for a mailed link, from a pasted or typed text: the whole link, or the code in it.
    /// - Throws: ``IAMError`` with `invalidInput` if the step waits for no link, or if `text` is empty or a link for
    ///   another step; do not send anything then.
    public func payload(forLinkOrCode text: String) throws -> EmbeddedSignInPayload {
        guard waitsForLink else { throw IAMError(.invalidInput, "This step does not wait for a link.") }
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "<>\"'")))
        guard !text.isEmpty else { throw IAMError(.invalidInput, "Enter the link or the code from the mail.") }
        guard text.contains("://") else {
            // Codes contain no white space, but mail programs break long lines.
            let code = text.filter { !$0.isWhitespace }
            return EmbeddedSignInPayload(flowId: flowId, inputs: Dictionary(uniqueKeysWithValues: [(linkInput, code)]))
        }
        let address = text.filter { !$0.isWhitespace }.replacing("&amp;", with: "&")
        guard let link = URL(string: address).flatMap(FlowLink.init) else {
            throw IAMError(.invalidInput, "This is not the link from the mail. Copy the whole link.")
        }
        guard link.flowId.hasBytes(of: flowId) else {
            throw IAMError(.invalidInput, "This link belongs to another request. Take the one from the newest mail.")
        }
        return EmbeddedSignInPayload(flowId: flowId, inputs: inputs(from: link))
    }

    /// The name under which the code is sent.
    private var linkInput: String { inputs.first?.name ?? "" }

    /// The step's inputs from a link, whose parameter names differ only in case.
    private func inputs(from link: FlowLink) -> [String: String] {
        let values = Dictionary(link.inputs.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        var found: [String: String] = [:]
        for input in inputs { found[input.name] = values[input.name.lowercased()] }
        if found.isEmpty, let value = link.inputs.first?.value { found[linkInput] = value }
        return found
    }
}

extension FlowInput {
    /// Label of the field for a mailed link or code.
    package static let linkOrCodeTitle = "The link or code from the mail"

    /// A visible field for a mailed link or code, in place of this hidden one.
    package var asLinkOrCode: FlowInput {
        FlowInput(name: name, type: "TEXT_INPUT", required: true, label: Self.linkOrCodeTitle, problem: problem)
    }
}
