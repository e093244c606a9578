import Foundation
import IdentityKit

/// Authenticates the client that sent the request (Backends/ThunderID.md#client-authentication). Parameters are read
/// only from a form, because the real server ignores any other body.
extension ThunderIDCall {
    /// - Throws: ``ThunderIDServerError`` with `invalid_client`, `invalid_request` or `unauthorized_client`.
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
            throw ThunderIDServerError.oauth(
                status: 401, error: "invalid_client", description: "Client authentication is required",
                challenge: clientChallenge)
        default:
            throw ThunderIDServerError.oauth(
                "unauthorized_client", "Client is not allowed to use the specified authentication method")
        }
    }

    private func clientCredentials() throws -> (clientID: String, proof: ClientProof) {
        do throws(ClientProofError) {
            return try request.clientCredentials()
        } catch {
            switch error {
            case .unusable: throw clientRefusal
            case .missingClientID: throw ThunderIDServerError.oauth("invalid_request", "Missing client_id parameter")
            case .severalMethods:
                throw ThunderIDServerError.oauth(
                    "invalid_request", "More than one client authentication method was used")
            case .otherClientID:
                throw ThunderIDServerError.oauth("invalid_request", "The client_id is not that of the credentials")
            }
        }
    }

    /// Checks a client assertion (RFC 7523 section 3). Its only audience must be the issuer, and its `jti` must not have
    /// been used before.
    private func check(_ assertion: SignedMessage, of clientID: String, keys: [PublicJWK]) throws {
        let claims = assertion.claims
        guard claims["iss"]?.stringValue == clientID, claims["sub"]?.stringValue == clientID,
            assertion.audiences == [backend.issuer],
            let expiry = claims["exp"]?.numberValue, expiry > backend.time.now.timeIntervalSince1970,
            let id = claims["jti"]?.stringValue, keys.contains(where: assertion.isSigned),
            backend.usedAssertions.withLock({ $0.insert(id).inserted })
        else { throw clientRefusal }
    }

    private var clientRefusal: ThunderIDServerError {
        .oauth(
            status: 401, error: "invalid_client", description: "Invalid client credentials",
            challenge: clientChallenge)
    }

    /// The `WWW-Authenticate` challenge for a request with an `Authorization` header (RFC 6749 section 5.2); `nil` for any
    /// other request.
    private var clientChallenge: String? { request.header("Authorization") == nil ? nil : "Basic" }
}
