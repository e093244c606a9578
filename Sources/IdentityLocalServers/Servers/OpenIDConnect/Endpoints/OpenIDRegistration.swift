import Foundation
import IdentityKit

extension OpenIDCall {
    /// `POST /register`: registers a client (RFC 7591 section 3).
    func register() throws -> LocalResponse {
        try requireRegistration()
        if let token = backend.configuration.initialAccessToken, request.bearerToken != token.reveal() {
            throw OpenIDServerError.challenge(
                status: 401, scheme: "Bearer", error: "invalid_token", description: "An initial access token is needed")
        }
        if behaviour.has(.registrationRefused) {
            throw OpenIDServerError.oauth("invalid_client_metadata", "This client may not register")
        }
        let metadata = try sentMetadata()
        let client = try LocalOpenIDConnectServer.Client(
            registered: LocalIdentifiers.hex(byteCount: 12), secret: nil, metadata)
        let registration = OpenIDRegistrations.Registration(
            client: client, issuedAt: backend.time.now, accessToken: LocalIdentifiers.base64URL(byteCount: 24),
            metadata: metadata)
        backend.registrations.add(registration)
        backend.counters.withLock { $0.registrations += 1 }
        return response(to: registration, status: 201)
    }

    /// `GET /register?client_id=…`: returns the client's registration (RFC 7592 section 2.1).
    func readRegistration() throws -> LocalResponse { response(to: try ownRegistration(), status: 200) }

    /// `PUT /register?client_id=…`: replaces the client's metadata, but keeps the secret (RFC 7592 section 2.2). If the request
    /// contains a secret, it must equal the client's current secret.
    func changeRegistration() throws -> LocalResponse {
        var registration = try ownRegistration()
        let metadata = try sentMetadata()
        let secret = metadata["client_secret"]
        guard metadata["client_id"]?.stringValue == registration.client.id,
            secret == nil || secret == registration.client.secret.map({ JSONValue.string($0.reveal()) }),
            [
                "registration_access_token", "registration_client_uri", "client_id_issued_at",
                "client_secret_expires_at",
            ].allSatisfy({ metadata[$0] == nil })
        else {
            throw OpenIDServerError.oauth(
                "invalid_request", "The client has another identifier or secret, or tells what only the server may")
        }
        registration.client = try LocalOpenIDConnectServer.Client(
            registered: registration.client.id, secret: registration.client.secret, metadata)
        registration.metadata = metadata
        // Issue a new registration access token on every change, as RFC 7592 section 2.2 allows.
        registration.accessToken = LocalIdentifiers.base64URL(byteCount: 24)
        backend.registrations.add(registration)
        return response(to: registration, status: 200)
    }

    /// `DELETE /register?client_id=…`: removes the client, but revokes no tokens (RFC 7592 section 2.3).
    func deleteRegistration() throws -> LocalResponse {
        backend.registrations.remove(try ownRegistration().client.id)
        return LocalResponse(status: 204)
    }

    private func requireRegistration() throws {
        guard backend.configuration.allowsRegistration else { throw OpenIDServerError.notFound }
    }

    private func ownRegistration() throws -> OpenIDRegistrations.Registration {
        try requireRegistration()
        let id = request.queryValue("client_id") ?? ""
        guard let registration = backend.registrations.registration(id, accessToken: request.bearerToken) else {
            throw OpenIDServerError.challenge(
                status: 401, scheme: "Bearer", error: "invalid_token", description: "The registration is not known")
        }
        return registration
    }

    private func sentMetadata() throws -> [String: JSONValue] {
        guard request.contentType == "application/json", let metadata = request.json?.objectValue else {
            throw OpenIDServerError.oauth("invalid_client_metadata", "The client must be described in JSON")
        }
        return metadata
    }

    private func response(to registration: OpenIDRegistrations.Registration, status: Int) -> LocalResponse {
        let client = registration.client
        var members = registration.metadata
        members["client_id"] = .string(behaviour.has(.registrationOfAnother) ? "another" : client.id)
        members["client_id_issued_at"] = .integer(registration.issuedAt.wholeSeconds)
        if let secret = client.secret {
            members["client_secret"] = .string(secret.reveal())
            members["client_secret_expires_at"] = 0
        }
        members["registration_access_token"] = .string(registration.accessToken)
        members["registration_client_uri"] = .string(
            backend.baseURL + OpenIDEndpoints.registration + "?client_id=" + client.id)
        if behaviour.has(.registrationUnmanaged) {
            members["registration_access_token"] = nil
            members["registration_client_uri"] = nil
        }
        if behaviour.has(.registrationWithoutClientID) { members["client_id"] = nil }
        if behaviour.has(.registrationMovesRedirect) {
            members["redirect_uris"] = ["https://elsewhere.example/callback"]
        }
        if behaviour.has(.registrationDemandsKey) { members["token_endpoint_auth_method"] = "private_key_jwt" }
        return .json(.object(members), status: status, headers: [("Cache-Control", "no-store")])
    }
}
