import Foundation
import IdentityKit

/// Which client sends the request (ThunderID client authentication). Only a form is read: the server sees no parameter in
/// any other body.
extension ThunderIDCall {
    /// - Throws: ``ThunderIDFailure``
    func authenticatedClient() throws -> LocalThunderIDServer.Application {
        let (clientID, proof) = try clientCredentials()
        guard let application = backend.application(clientID: clientID) else { throw clientRefusal }
        switch (application.clientAuthentication, proof) {
        case (.none, .none):
            return application
        case (.basic(let secret), .basic(let sent)), (.post(let secret), .post(let sent)):
            guard secret == sent else { throw clientRefusal }
            return application
        case (.privateKeyJWT(let keys), .assertion(let assertion)):
            try check(assertion, of: application.clientID, keys: keys.compactMap(PublicJWK.init))
            return application
        case (_, .none):
            throw ThunderIDFailure.oauth(
                status: 401, error: "invalid_client", description: "Client authentication is required",
                challenge: clientChallenge)
        default:
            throw ThunderIDFailure.oauth(
                "unauthorized_client", "Client is not allowed to use the specified authentication method")
        }
    }

    private func clientCredentials() throws -> (clientID: String, ClientProof) {
        let sentID = request.formValue("client_id") ?? ""
        let sentSecret = request.formValue("client_secret") ?? ""
        if let assertion = request.formValue("client_assertion"), !assertion.isEmpty {
            return try assertionCredentials(assertion, sentID: sentID, hasSecret: !sentSecret.isEmpty)
        }
        guard let authorization = request.header("Authorization"), !authorization.isEmpty else {
            guard !sentID.isEmpty else { throw missingClientID }
            return (sentID, sentSecret.isEmpty ? .none : .post(Secret(sentSecret)))
        }
        guard sentSecret.isEmpty else {
            throw ThunderIDFailure.oauth("invalid_request", "More than one client authentication method was used")
        }
        // Anything but Basic is a failed authentication.
        guard let (clientID, secret) = request.basicCredentials else { throw clientRefusal }
        guard !clientID.isEmpty else { throw missingClientID }
        guard !secret.isEmpty else { throw clientRefusal }
        guard sentID.isEmpty || sentID == clientID else {
            throw ThunderIDFailure.oauth("invalid_request", "The client_id is not that of the credentials")
        }
        return (clientID, .basic(Secret(secret)))
    }

    private func assertionCredentials(
        _ assertion: String, sentID: String, hasSecret: Bool
    ) throws -> (clientID: String, ClientProof) {
        guard !hasSecret, request.header("Authorization") == nil else {
            throw ThunderIDFailure.oauth("invalid_request", "More than one client authentication method was used")
        }
        guard request.formValue("client_assertion_type") == ClientProof.assertionType,
            let message = SignedMessage(assertion), let subject = message.claims["sub"]?.stringValue,
            sentID.isEmpty || sentID == subject
        else { throw clientRefusal }
        return (subject, .assertion(message))
    }

    /// RFC 7523 section 3; the audience must be the issuer, and each assertion counts once.
    private func check(_ assertion: SignedMessage, of clientID: String, keys: [PublicJWK]) throws {
        let claims = assertion.claims
        let audiences = claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? [claims["aud"]?.stringValue ?? ""]
        guard claims["iss"]?.stringValue == clientID, audiences == [backend.issuer],
            let expiry = claims["exp"]?.numberValue, expiry > backend.time.now.timeIntervalSince1970,
            let id = claims["jti"]?.stringValue, keys.contains(where: assertion.isSigned),
            backend.usedAssertions.withLock({ $0.insert(id).inserted })
        else { throw clientRefusal }
    }

    private var missingClientID: ThunderIDFailure { .oauth("invalid_request", "Missing client_id parameter") }

    private var clientRefusal: ThunderIDFailure {
        .oauth(
            status: 401, error: "invalid_client", description: "Invalid client credentials",
            challenge: clientChallenge)
    }

    /// A client that used the header learns which scheme is right.
    private var clientChallenge: String? { request.header("Authorization") == nil ? nil : "Basic" }
}
