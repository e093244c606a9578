import Foundation
import IdentityKit

/// A link mailed to a person, which continues a waiting flow.
public struct FlowLink: Sendable, Hashable {
    /// Identifier of the waiting flow.
    public let flowId: String
    /// Identifier of the flow's application; `nil` if the link does not contain it.
    public let applicationId: String?
    /// Values in the link by input name: `inviteToken` of an invitation or a recovery, or the token of a magic link.
    public let inputs: [String: String]

    /// Reads a link from a mail.
    /// - Returns: `nil` if the link names no flow, contains no token, or has a parameter that is repeated, has no `=`,
    ///   or cannot be decoded.
    public init?(_ url: URL) {
        guard var values = Self.parameters(of: url) else { return nil }
        // An invitation or a recovery names the flow in `executionId`, a magic link in `id`.
        let identifier = values.removeValue(forKey: "executionId") ?? values.removeValue(forKey: "id")
        guard let flowId = identifier, !flowId.isEmpty else { return nil }
        self.flowId = flowId
        applicationId = values.removeValue(forKey: "applicationId")
        values["authId"] = nil
        inputs = values.filter { $0.key.lowercased().hasSuffix("token") && !$0.value.isEmpty }
        guard !inputs.isEmpty else { return nil }
    }

    /// Reads the parameters of a link; `nil` if any has no `=`, cannot be decoded, or is repeated. The server's own
    /// links have none of these faults.
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

extension FlowLink: CustomStringConvertible, Reticent {
    public var description: String { "FlowLink(\(flowId))" }
    package var shown: KeyValuePairs<String, Any> { ["flowId": flowId] }
}

extension EmbeddedFlowResponse {
    /// Creates the payload for a step that waits for a mailed link, from a text that the person pasted or typed: the
    /// whole link, or only the code in it.
    /// - Throws: ``IAMError`` with `invalidInput` if the step waits for no link, or if `text` is empty, an unreadable
    ///   link, or the link of another flow.
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

    /// The name of the step's first input, under which the code is sent.
    private var linkInput: String { inputs.first?.name ?? "" }

    /// Returns the step's inputs with the values of a link. Input and parameter names are compared without regard to
    /// case. If no name matches, the first input gets one of the link's values.
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
