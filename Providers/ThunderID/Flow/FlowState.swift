import Foundation
import IdentityKit

/// The state of a flow between its steps: the inputs asked for so far, the current step and the way to complete it, and
/// the outcome. The provider, the client and the SwiftUI forms use it. ``FlowDriver`` sends the requests.
package struct FlowState: Sendable {
    /// The application of the flow, if known.
    let applicationID: String?
    /// The authorization request that the flow completes; `nil` for a flow that ends with an assertion.
    let authorization: NativeAuthorization?
    /// The name of the client's session to sign in to; `nil` for the session without a name.
    var sessionID: String?

    /// The current step; `nil` before the first response. After a wrong mailed link or code, the step that asks for it
    /// stays current.
    package private(set) var step: EmbeddedFlowResponse?
    /// The error about a wrong mailed link or code, after which the person can still enter the right one; `nil` if there is
    /// none.
    package private(set) var linkRefusal: IAMError?
    /// The flow's outcome; `nil` while it runs.
    package private(set) var outcome: Outcome?
    /// The challenge that a passkey has signed during the flow.
    private(set) var passkeyChallenge: Data?

    /// The challenge token of the current step, to be sent with the next submission.
    private var challengeToken: Secret?
    private var askedFor: Set<String> = []
    private var hasAskedForLink = false
    private var hasNewPassword = false
    /// Whether the latest submission contains a new password, and the challenge that a passkey has signed for the submission.
    /// Both are copied to the properties of the flow only if the server accepts the submission.
    private var submitted: (hasNewPassword: Bool, passkeyChallenge: Data?) = (false, nil)
    /// Whether the latest submission may have contained a password.
    private(set) var concernsPassword = true
    /// Labels of the fields in the latest submission, without passwords and hidden fields.
    private(set) var sentFields: [String] = []
    private var passkeyStep: EmbeddedFlowResponse?
    /// The hash of the latest submission. The submission itself is not kept, because it may contain a password.
    private var submissionHash: Int?
    /// The response that completed the flow with an assertion.
    private var lastResponse: EmbeddedFlowResponse?
    /// The callback address with the authorization code, which the server has sent in exchange for the assertion.
    var callback: URL?

    package enum Outcome: Sendable {
        /// The flow has identified the person, and its assertion begins the session.
        case signedIn(assertion: Secret)
        /// A new password was set, but nobody signed in.
        case passwordChanged
        /// The flow was completed without a sign-in, like most registrations.
        case finished
        /// The server ended the flow with an error.
        case failed(IAMError)
    }

    package enum Completion: Sendable {
        /// The page of another identity provider.
        case page(FlowRedirection)
        /// A passkey. The associated step contains the server's request for the passkey. After the server has refused a
        /// passkey, the current step contains no such request. The associated step is then the earlier step with the request,
        /// and `isRepeated` is `true`.
        case passkey(EmbeddedFlowResponse, isRepeated: Bool)
        /// A mailed link or code.
        case link
        /// The person's input in fields and by buttons.
        case person
        /// The server's own page, because the step needs values that only that page knows.
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

    /// Prepares a payload for its submission. Removes values that only an earlier step asked for, such as its password.
    /// Keeps values that no step asked for, such as the token of a mailed link.
    package mutating func submission(of payload: EmbeddedSignInPayload) -> Submission {
        submissionHash = payload.hashValue
        let asksFor = Set(step?.inputs.map(\.name) ?? [])
        let inputs = payload.inputs.filter { asksFor.contains($0.key) || !askedFor.contains($0.key) }
        sentFields = (step?.inputs ?? []).filter { inputs[$0.name] != nil && !$0.isPassword && $0.type != "HIDDEN" }
            .map(\.title)
        if let step {
            concernsPassword = step.inputs.contains(where: \.isPassword)
            let hasPassword = step.inputs.contains { $0.isPassword && inputs[$0.name] != nil }
            submitted.hasNewPassword = hasAskedForLink && hasPassword
            submitted.passkeyChallenge =
                inputs["clientDataJSON"] == nil ? nil : (try? step.passkeyRequest)?.challenge
        } else {
            // Without a known step, the payload may contain any values, including a password.
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
        // A response with an error may have no challenge token. The previous one then stays valid.
        challengeToken = response.challengeToken.map { Secret($0) } ?? challengeToken
        (linkRefusal, outcome) = (nil, nil)
        if response.error == nil {
            hasNewPassword = hasNewPassword || submitted.hasNewPassword
            passkeyChallenge = submitted.passkeyChallenge ?? passkeyChallenge
        }
        submitted = (false, nil)
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
            lastResponse = response.assertion == nil ? nil : response
            outcome =
                if let assertion = response.assertion { .signedIn(assertion: Secret(assertion)) } else {
                    hasNewPassword ? .passwordChanged : .finished
                }
        }
    }

    /// Returns the response to an earlier submission of the same `payload` that has completed the flow with an assertion;
    /// `nil` without one. An app repeats the submission if the session could not begin, but the server no longer knows the flow
    /// then.
    func lastResponse(to payload: EmbeddedSignInPayload) -> EmbeddedFlowResponse? {
        submissionHash == payload.hashValue ? lastResponse : nil
    }

    /// The way to complete the current step; `nil` before the first step.
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

    /// Whether the current step needs no form of the app, because the page of another identity provider or a passkey completes
    /// it. A step that only the server's own page can complete (`serverPage`) is not automatic.
    package var isAutomatic: Bool {
        switch completion {
        case .page, .passkey: true
        case .link, .person, .serverPage, nil: false
        }
    }

    /// The request for a passkey to suggest while the person types; `nil` unless the current step has fields for the
    /// person and also accepts a passkey.
    package var suggestedPasskey: PasskeyRequest? {
        guard case .passkey(let question, _) = completion, let step,
            step.inputs.contains(where: { $0.type != "HIDDEN" && !$0.isOfPasskey })
        else { return nil }
        // An unreadable request is reported only when the passkey is used.
        return try? question.passkeyRequest
    }

    /// Opens the page or requests the passkey that completes the current step, and returns the payload to submit; `nil`
    /// if neither completes the step.
    /// - Parameters:
    ///   - browser: opens the page; `nil` if the app has none.
    ///   - passkeys: requests the passkey; `nil` if the app has none.
    ///   - server: the flow's server, whose own pages never return to an app.
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
    /// Whether the server did not accept a mailed link or code.
    fileprivate var concernsLink: Bool { code == .invitationCodeInvalid || code == .confirmationCodeInvalid }
}
