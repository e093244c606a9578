import Foundation
import IdentityKit

/// Tasks with links that a person receives out of band: magic links, invitations and links for recovery.
extension FlowTaskRunner {
    /// Emails a magic link. Also succeeds for an unknown user, without an email, so that the result does not reveal which
    /// users exist.
    func sendMagicLink(_ execution: inout FlowExecution) -> Outcome {
        let token = newLinkToken(&execution)
        guard let user = findUser(execution) else { return .success }
        execution.userID = user.id
        let link = link(
            "signin",
            [
                "id": execution.id, "applicationId": execution.application?.id,
                "type": FlowType.authentication.rawValue, "token": token,
            ])
        outbox.send(
            .init(
                purpose: .magicLink, channel: .email, recipient: user.address(for: .email), executionID: execution.id,
                secret: Secret(token), link: link))
        return .success
    }

    func verifyMagicLink(_ execution: inout FlowExecution) -> Outcome {
        let input = FlowInput(ref: "magic_link_token_input", identifier: "token", type: "HIDDEN")
        guard let token = execution.inputs.removeValue(forKey: input.identifier) else { return .needs([input]) }
        guard token == execution.linkToken, execution.userID != nil else { return .failure(.invalidMagicLink) }
        execution.linkToken = nil
        note("MagicLinkAuthenticator", &execution)
        return .success
    }

    /// Finds the user by name and emails a link for recovery. Asks again for the name if it is unknown.
    func identifyForRecovery(_ execution: inout FlowExecution) -> Outcome {
        guard let user = findUser(execution) else {
            return .needs([.text("username", ref: "input_username")], .userNotFound)
        }
        execution.userID = user.id
        let token = newLinkToken(&execution)
        outbox.send(
            .init(
                purpose: .recovery, channel: .email, recipient: user.address(for: .email), executionID: execution.id,
                secret: Secret(token), link: invitationLink(token, execution)))
        execution.additionalData["emailSent"] = "true"
        return .success
    }

    func mailInvitation(_ execution: inout FlowExecution) -> Outcome {
        guard let recipient = execution.value("email") else { return .needs([.text("email")]) }
        let token = newLinkToken(&execution)
        outbox.send(
            .init(
                purpose: .invitation, channel: .email, recipient: recipient, executionID: execution.id,
                secret: Secret(token), link: invitationLink(token, execution)))
        execution.additionalData["emailSent"] = "true"
        return .success
    }

    /// Adds the link of an invitation to the response (`inviteLink`). The caller of the flow passes the link on.
    func shareInvitation(_ execution: inout FlowExecution) -> Outcome {
        let token = newLinkToken(&execution)
        execution.additionalData["inviteLink"] = invitationLink(token, execution)?.absoluteString
        return .success
    }

    func verifyInvitation(ref: String, _ execution: inout FlowExecution) -> Outcome {
        let input = FlowInput(ref: ref, identifier: "inviteToken", type: "HIDDEN")
        // A wrong token is kept, so that a later call without a token fails as well.
        guard let token = execution.inputs[input.identifier] else { return .needs([input]) }
        guard token == execution.linkToken else { return .failure(.invalidInviteToken) }
        execution.inputs[input.identifier] = nil
        execution.linkToken = nil
        return .success
    }

    private func newLinkToken(_ execution: inout FlowExecution) -> String {
        let token = LocalIdentifiers.base64URL(byteCount: 24)
        execution.linkToken = token
        return token
    }

    private func invitationLink(_ token: String, _ execution: FlowExecution) -> URL? {
        link(
            "invite",
            [
                "applicationId": execution.application?.id, "executionId": execution.id, "inviteToken": token,
                "authId": execution.demands.authorizationRequestID,
            ])
    }

    private func link(_ page: String, _ parameters: [String: String?]) -> URL? {
        URL(string: ThunderIDRedirect.address(configuration.linkBaseURL ?? "\(baseURL)/gate/\(page)", parameters))
    }
}
