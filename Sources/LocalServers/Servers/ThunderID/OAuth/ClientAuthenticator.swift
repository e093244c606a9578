import Foundation
import IdentityKit

/// Finds out which client asks (ThunderID client authentication).
///
/// Only a form is read. Whatever else the body holds, the server sees no parameter in it.
struct ClientAuthenticator: Sendable {
    private struct Credentials {
        let clientID: String
        let method: Method
    }

    private enum Method {
        case none
        case basic(Secret)
        case post(Secret)
        case assertion(SignedMessage)
    }

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let request: LocalRequest
    let backend: ThunderIDBackend

    /// The client.
    /// - Throws: ``ThunderIDFailure``
    func client() throws -> LocalThunderIDServer.Application {
        let credentials = try credentials()
        guard let application = backend.application(clientID: credentials.clientID) else { throw refusal }
        switch (application.clientAuthentication, credentials.method) {
        case (.none, .none):
            return application
        case (.basic(let secret), .basic(let sent)), (.post(let secret), .post(let sent)):
            guard secret == sent else { throw refusal }
            return application
        case (.privateKeyJWT(let keys), .assertion(let assertion)):
            try check(assertion, of: application.clientID, keys: keys.compactMap(PublicJWK.init))
            return application
        case (_, .none):
            throw ThunderIDFailure.oauth(
                status: 401, error: "invalid_client", description: "Client authentication is required",
                challenge: challenge)
        default:
            throw ThunderIDFailure.oauth(
                "unauthorized_client", "Client is not allowed to use the specified authentication method")
        }
    }

    private func credentials() throws -> Credentials {
        let sentID = request.formValue("client_id") ?? ""
        let sentSecret = request.formValue("client_secret") ?? ""
        if let assertion = request.formValue("client_assertion"), !assertion.isEmpty {
            return try assertionCredentials(assertion, sentID: sentID, hasSecret: !sentSecret.isEmpty)
        }
        guard let authorization = request.header("Authorization"), !authorization.isEmpty else {
            guard !sentID.isEmpty else { throw missingClientID }
            return Credentials(
                clientID: sentID, method: sentSecret.isEmpty ? .none : .post(Secret(sentSecret)))
        }
        guard sentSecret.isEmpty else {
            throw ThunderIDFailure.oauth("invalid_request", "More than one client authentication method was used")
        }
        let (clientID, secret) = try basicCredentials(authorization)
        guard sentID.isEmpty || sentID == clientID else {
            throw ThunderIDFailure.oauth("invalid_request", "The client_id is not that of the credentials")
        }
        return Credentials(clientID: clientID, method: .basic(secret))
    }

    private func assertionCredentials(
        _ assertion: String, sentID: String, hasSecret: Bool
    ) throws -> Credentials {
        guard !hasSecret, request.header("Authorization") == nil else {
            throw ThunderIDFailure.oauth("invalid_request", "More than one client authentication method was used")
        }
        guard request.formValue("client_assertion_type") == Self.assertionType, let message = SignedMessage(assertion),
            let subject = message.claims["sub"]?.stringValue, sentID.isEmpty || sentID == subject
        else { throw refusal }
        return Credentials(clientID: subject, method: .assertion(message))
    }

    /// RFC 7523 section 3; the audience must be the issuer, and each assertion counts once (contract 2.4).
    private func check(_ assertion: SignedMessage, of clientID: String, keys: [PublicJWK]) throws {
        let claims = assertion.claims
        let audiences = claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? [claims["aud"]?.stringValue ?? ""]
        guard claims["iss"]?.stringValue == clientID, audiences == [backend.issuer],
            let expiry = claims["exp"]?.numberValue, expiry > backend.time.now.timeIntervalSince1970,
            let id = claims["jti"]?.stringValue, keys.contains(where: assertion.isSigned),
            backend.usedAssertions.withLock({ $0.insert(id).inserted })
        else { throw refusal }
    }

    /// Anything but Basic is a failed authentication.
    private func basicCredentials(_ authorization: String) throws -> (clientID: String, secret: Secret) {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let decoded = Data(base64Encoded: String(parts[1])).map({ String(decoding: $0, as: UTF8.self) }),
            let colon = decoded.firstIndex(of: ":")
        else { throw refusal }
        let clientID = formDecoded(decoded[..<colon])
        let secret = formDecoded(decoded[decoded.index(after: colon)...])
        guard !clientID.isEmpty else { throw missingClientID }
        guard !secret.isEmpty else { throw refusal }
        return (clientID, Secret(secret))
    }

    private func formDecoded(_ text: Substring) -> String {
        LocalRequest.decodeForm("v=\(text)").first?.value ?? ""
    }

    private var missingClientID: ThunderIDFailure { .oauth("invalid_request", "Missing client_id parameter") }

    private var refusal: ThunderIDFailure {
        .oauth(
            status: 401, error: "invalid_client", description: "Invalid client credentials", challenge: challenge)
    }

    /// A client that used the header is told which scheme is right.
    private var challenge: String? { request.header("Authorization") == nil ? nil : "Basic" }
}

extension ThunderIDCall {
    /// The client that asks.
    /// - Throws: ``ThunderIDFailure``
    func authenticatedClient() throws -> LocalThunderIDServer.Application {
        try ClientAuthenticator(request: request, backend: backend).client()
    }
}

extension LocalRequest {
    /// The first value of the form field `name`.
    func formValue(_ name: String) -> String? {
        form?.first { $0.name == name }?.value
    }
}
