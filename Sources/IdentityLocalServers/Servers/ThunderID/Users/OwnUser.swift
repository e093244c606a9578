import Foundation
import IdentityKit

extension ThunderIDCall {
    /// Returns the token of the request. The token may be of any type, but must be issued by this server, not revoked,
    /// and not expired more than 30 seconds ago.
    ///
    /// Only the scheme `Bearer` is accepted, not `DPoP`, and bound tokens need no proof. The real server learns of
    /// revocations once a minute, but this server learns of them at once.
    /// - Throws: ``ThunderIDServerError/unauthorized`` without a bearer token, ``ThunderIDServerError/tokenRejected`` for an
    ///   invalid token.
    func authenticatedToken() throws -> VerifiedToken {
        guard let text = request.credentials("Bearer") else { throw ThunderIDServerError.unauthorized }
        guard let token = backend.tokens.good(text) else { throw ThunderIDServerError.tokenRejected }
        return token
    }

    /// Returns the user who is the subject of the request's token, such as an access token or an assertion. An inactive user
    /// is returned too.
    /// - Throws: ``ThunderIDServerError``: an error of ``authenticatedToken()``, or `USR-1003` if the subject is not a user.
    func authenticatedUser() throws -> ThunderIDUser {
        guard let user = backend.users.user(id: try authenticatedToken().subject) else {
            throw ThunderIDServerError.api(status: 404, .userRecordNotFound)
        }
        return user
    }

    fileprivate func sentAttributes() throws -> [String: JSONValue] {
        guard let attributes = request.json?["attributes"]?.objectValue else {
            throw ThunderIDServerError.api(status: 400, .malformedUserRequest)
        }
        return attributes
    }
}

extension ThunderIDCall {
    func readOwnUser() throws -> LocalResponse {
        let user = try authenticatedUser()
        return .json(user.record(showingDisplayName: request.queryValue("include") == "display"))
    }

    /// `GET /users/me/meta`: returns the schema of the user type, with the known attributes and the password.
    func readOwnSchema() throws -> LocalResponse {
        _ = try authenticatedUser()
        var schema: [String: [String: JSONValue]] = [:]
        for (name, displayName) in PersonSchema.displayNames {
            schema[name] = [
                "type": "string", "displayName": .string(displayName),
                "required": .bool(PersonSchema.required.contains(name)),
            ]
            if PersonSchema.unique.contains(name) { schema[name]?["unique"] = true }
        }
        schema["email"]?["regex"] = .string(PersonSchema.emailPattern)
        schema["password"] = ["type": "string", "displayName": "Password", "required": false, "credential": true]
        return .json(["schema": .object(schema.mapValues(JSONValue.object))])
    }

    /// `PUT /users/me`: replaces all attributes. Attributes that are not in the request are removed.
    func replaceOwnAttributes() throws -> LocalResponse {
        var user = try authenticatedUser()
        let attributes = try sentAttributes()
        // Refuse a password, which `POST /users/me/update-credentials` changes.
        guard attributes["password"] == nil else { throw ThunderIDServerError.api(status: 400, .malformedUserRequest) }
        guard PersonSchema.accepts(attributes) else { throw ThunderIDServerError.api(status: 400, .schemaViolation) }
        guard backend.users.conflict(of: attributes, exceptUser: user.id) == nil else {
            throw ThunderIDServerError.api(status: 409, .attributeConflict)
        }
        backend.users.replaceAttributes(attributes, ofUser: user.id)
        user.attributes = attributes
        return .json(user.record())
    }

    /// `POST /users/me/update-credentials`: changes the password without asking for the current one, and invalidates
    /// earlier refresh tokens.
    func updateOwnCredentials() throws -> LocalResponse {
        let user = try authenticatedUser()
        guard let body = request.json?.objectValue else {
            throw ThunderIDServerError.api(status: 400, .malformedUserRequest)
        }
        guard let password = body["attributes"]?["password"]?.stringValue, !password.isEmpty else {
            throw ThunderIDServerError.api(status: 400, .credentialsMissing)
        }
        backend.users.setPassword(Secret(password), ofUser: user.id)
        return LocalResponse(status: 204)
    }
}

extension ThunderIDUser {
    fileprivate func record(showingDisplayName: Bool = false) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "ouId": .string(PersonSchema.organizationUnitID), "type": .string(type),
            "attributes": .object(attributes), "isReadOnly": false,
        ]
        if showingDisplayName {
            members["display"] = .string(username)
            members["ouHandle"] = "default"
        }
        return .object(members)
    }
}

extension APIError {
    private static func user(_ code: String, _ name: String, _ message: String, _ description: String) -> APIError {
        APIError(code, key: "error.userservice." + name, message, description)
    }

    fileprivate static let malformedUserRequest = user(
        "USR-1001", "invalid_request_format", "Malformed request", "The body is not what this endpoint takes")
    fileprivate static let userRecordNotFound = user(
        "USR-1003", "user_not_found", "User not found", "There is no user with this id")
    fileprivate static let attributeConflict = user(
        "USR-1014", "attribute_conflict", "Attribute conflict", "Another user has the same unique attribute")
    fileprivate static let credentialsMissing = user(
        "USR-1017", "missing_credentials", "No credential", "At least one credential is needed")
    fileprivate static let schemaViolation = user(
        "USR-1019", "schema_validation_failed", "Schema violation", "The attributes do not fit the user type")
}
