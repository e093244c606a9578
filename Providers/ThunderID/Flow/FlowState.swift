import Foundation
import IdentityKit

/// A flow between its steps, for the provider, the client and the forms of SwiftUI: what it asked for, what may be sent
/// to it, what completes its newest step, and how it ended. ``FlowDriver`` sends.
package struct FlowState: Sendable {
    /// The application the flow belongs to, when that is known.
    let applicationID: String?
    /// The authorization that the flow finishes; `nil` for a flow that ends in an assertion.
    let authorization: NativeAuthorization?
    /// The client's name of the session that it signs in to.
    var sessionID: String?

    /// The newest step. A refused link leaves the step that asks for it.
    package private(set) var step: EmbeddedFlowResponse?
    /// Why the link or the code from a mail was not accepted; the right one may still come.
    package private(set) var linkRefusal: IAMError?
    /// How the flow ended; `nil` while it runs.
    package private(set) var outcome: Outcome?
    /// The challenge that a passkey signed on the way.
    private(set) var passkeyChallenge: Data?

    /// The proof of having seen the newest step.
    private var challengeToken: Secret?
    private var askedFor: Set<String> = []
    private var hasAskedForLink = false
    private var hasNewPassword = false
    /// Whether what was sent last may have contained a password.
    private(set) var concernsPassword = true
    /// Labels of the fields that were sent last, without passwords and hidden fields.
    private(set) var sentFields: [String] = []
    private var passkeyStep: EmbeddedFlowResponse?

    package enum Outcome: Sendable {
        /// The flow proved who the person is.
        case signedIn(assertion: Secret)
        /// A new password was set, without a sign-in.
        case passwordChanged
        /// The flow is done without a sign-in, as a registration is.
        case finished
        /// The server ended it.
        case failed(IAMError)
    }

    package enum Completion: Sendable {
        /// The page of another identity provider.
        case page(FlowRedirection)
        /// A passkey, by the question of this step. A passkey that was refused is asked for again without a question;
        /// then it is the question of an earlier step.
        case passkey(EmbeddedFlowResponse, isRepeated: Bool)
        /// The link or the code from a mail.
        case link
        /// The person, with fields and buttons.
        case person
        /// The server's own page: the step asks for what only that page knows.
        case serverPage
    }

    package init(applicationID: String? = nil) {
        self.init(applicationID: applicationID, authorization: nil)
    }

    init(applicationID: String?, authorization: NativeAuthorization?, sessionID: String? = nil) {
        self.applicationID = applicationID
        self.authorization = authorization
        self.sessionID = sessionID
    }

    /// The submission of `payload`. The value of an earlier step, such as its password, is not sent to a later one. A
    /// value that no step asked for came from elsewhere, such as the token of a mailed link, and is sent.
    package mutating func submission(of payload: EmbeddedSignInPayload) -> Submission {
        let asksFor = Set(step?.inputs.map(\.name) ?? [])
        let inputs = payload.inputs.filter { asksFor.contains($0.key) || !askedFor.contains($0.key) }
        sentFields = (step?.inputs ?? []).filter { inputs[$0.name] != nil && !$0.isPassword && $0.type != "HIDDEN" }
            .map(\.title)
        if let step {
            concernsPassword = step.inputs.contains(where: \.isPassword)
            let hasPassword = step.inputs.contains { $0.isPassword && inputs[$0.name] != nil }
            if hasAskedForLink, hasPassword { hasNewPassword = true }
            if inputs["clientDataJSON"] != nil { passkeyChallenge = (try? step.passkeyRequest)?.challenge }
        } else {
            // The values of a start may be anything.
            concernsPassword = payload.flowId != nil || !inputs.isEmpty
        }
        return Submission(
            challengeToken: challengeToken ?? payload.challengeToken.map { Secret($0) },
            inputs: inputs.mapValues { Secret($0) },
            action: payload.actionId.flatMap { $0.isEmpty ? nil : $0 })
    }

    package struct Submission: Sendable {
        let challengeToken: Secret?
        let inputs: [String: Secret]
        let action: String?
    }

    package mutating func take(_ response: EmbeddedFlowResponse) {
        // Without a new proof the last one stays valid.
        challengeToken = response.challengeToken.map { Secret($0) } ?? challengeToken
        (linkRefusal, outcome) = (nil, nil)
        switch response.flowStatus {
        case .promptOnly:
            step = response
            askedFor.formUnion(response.inputs.map(\.name))
            if response.waitsForLink { hasAskedForLink = true }
            if response.hasPasskeyQuestion { passkeyStep = response }
        case .error:
            if let error = response.error, error.concernsLink, step?.waitsForLink == true {
                linkRefusal = error
            } else {
                outcome = .failed(response.error ?? IAMError(.unknownError, "This cannot go on. Start again."))
            }
        case .complete:
            outcome =
                if let assertion = response.assertion { .signedIn(assertion: Secret(assertion)) } else {
                    hasNewPassword ? .passwordChanged : .finished
                }
        }
    }

    /// The completion of the newest step; `nil` before the first one.
    package var completion: Completion? {
        guard let step else { return nil }
        if let redirection = step.redirection { return .page(redirection) }
        if step.hasPasskeyQuestion { return .passkey(step, isRepeated: false) }
        if step.isForPasskey, let passkeyStep, step.flowId.hasBytes(of: passkeyStep.flowId) {
            return .passkey(passkeyStep, isRepeated: true)
        }
        if step.waitsForLink { return .link }
        return step.asksOnlyForHiddenValues ? .serverPage : .person
    }

    /// Whether a page or a passkey completes the newest step.
    package var isAutomatic: Bool {
        switch completion {
        case .page, .passkey: true
        case .link, .person, .serverPage, nil: false
        }
    }

    /// The passkey to suggest while a person types: the newest step asks the person for something, and for a passkey too.
    package var suggestedPasskey: PasskeyRequest? {
        guard case .passkey(let question, _) = completion, let step,
            step.inputs.contains(where: { $0.type != "HIDDEN" && !$0.isOfPasskey })
        else { return nil }
        // A question that cannot be understood is reported when it is asked.
        return try? question.passkeyRequest
    }

    /// The payload that a page or a passkey submits to the newest step; `nil` when neither completes it.
    /// - Parameter server: the flow's server. Its own pages give nothing to an app.
    /// - Throws: ``IAMError``, or what `browser` and `passkeys` throw when the person gives up.
    package func automaticPayload(
        _ browser: (any WebAuthenticator)?, _ passkeys: (any PasskeyAuthenticator)?, server: URL
    ) async throws -> EmbeddedSignInPayload? {
        switch completion {
        case .page(let redirection):
            guard let browser, let callbackURI = redirection.callbackURI(beyond: server) else {
                throw IAMError(.mfaRequired, "This sign-in goes on in a browser, which cannot be opened here.")
            }
            let callback = try await browser.authenticate(
                WebAuthenticationRequest(url: redirection.url, redirectURI: callbackURI))
            return EmbeddedSignInPayload(flowId: step?.flowId, inputs: try redirection.inputs(from: callback))
        case .passkey(let question, _):
            return try await IAMError.translating {
                guard let passkeys else { throw PasskeyError.notSupported }
                if let request = try question.passkeyRequest {
                    return question.payload(for: try await passkeys.assertion(for: request))
                }
                if let creation = try question.passkeyCreation {
                    return question.payload(for: try await passkeys.registration(for: creation))
                }
                return nil
            }
        case .link, .person, .serverPage, nil:
            return nil
        }
    }
}

extension EmbeddedFlowResponse {
    fileprivate var hasPasskeyQuestion: Bool {
        data?.additional("passkeyChallenge") != nil || data?.additional("passkeyCreationOptions") != nil
    }
}

extension IAMError {
    /// Whether what came from a mail was wrong or too old.
    fileprivate var concernsLink: Bool { code == .invitationCodeInvalid || code == .confirmationCodeInvalid }
}
