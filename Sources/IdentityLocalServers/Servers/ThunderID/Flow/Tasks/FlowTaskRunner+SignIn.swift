import Foundation
import IdentityKit

extension FlowTaskRunner {
    func authenticate(_ execution: inout FlowExecution) -> Outcome {
        // Ask only for absent values. An empty value is checked like any other.
        let missing = ["username", "password"].filter { execution.inputs[$0] == nil }
        guard missing.isEmpty else { return .needs(missing.map(Self.credential)) }
        switch findUser(execution) {
        case nil:
            return refuse(.userNotFound, &execution)
        case let user? where user.password != Secret(execution.inputs["password", default: ""]):
            return refuse(.invalidCredentials, &execution)
        case let user?:
            execution.userID = user.id
            note("CredentialsAuthenticator", &execution)
            return .success
        }
    }

    /// Finds the user by name, without any proof of identity.
    func identify(_ execution: inout FlowExecution) -> Outcome {
        guard execution.value("username") != nil else { return .needs([Self.credential("username")]) }
        guard let user = findUser(execution) else { return .needs([], .userNotFound) }
        execution.userID = user.id
        return .success
    }

    /// Returns the user with the entered name. An inactive user counts as unknown.
    func findUser(_ execution: FlowExecution) -> ThunderIDUser? {
        users.user(named: execution.inputs["username", default: ""]).flatMap { $0.isActive ? $0 : nil }
    }

    private static func credential(_ name: String) -> FlowInput {
        name == "password"
            ? FlowInput(identifier: name, type: "PASSWORD_INPUT") : FlowInput(identifier: name, type: "TEXT_INPUT")
    }

    /// Forgets the entered name and password, and requests them again with the error. If the flow has no prompt for them, the
    /// response contains these inputs but no actions.
    private func refuse(_ error: APIError, _ execution: inout FlowExecution) -> Outcome {
        let asked = ["username", "password"]
        for name in asked { execution.inputs[name] = nil }
        return .needs(asked.map(Self.credential), error)
    }

    /// Makes the assertion of a finished flow (Backends/ThunderID.md#assertion). In a flow of an authorization or
    /// backchannel request, the assertion refers to the request and to the stored attributes (`aci`). In any other
    /// flow, the assertion contains the attributes that the application's `assertionAttributes` list.
    func assert(_ execution: inout FlowExecution) throws -> Outcome {
        guard let application = execution.application, let user = execution.userID.flatMap(users.user(id:)) else {
            return .failure(.userNotAuthenticated)
        }
        guard reachesDemands(execution) else { return .failure(.interactionRequired) }
        let attributes = user.attributes.filter { execution.consentedAttributes?.contains($0.key) ?? true }
        var claims: [String: JSONValue] = [:]
        if !execution.authenticators.isEmpty {
            claims["assurance"] = [
                "aal": .string(assuranceLevel(execution)), "ial": "IAL1",
                "authenticators": .array(execution.authenticators),
            ]
        }
        claims["completed_auth_class"] = execution.selectedClass.map(JSONValue.string)
        claims["auth_time"] = execution.authenticatedAt.map { .integer(Int64($0.timeIntervalSince1970)) }
        if let requestID = execution.demands.authorizationRequestID {
            claims["authorization_request_id"] = .string(requestID)
            claims["aci"] = .string(tokens.cacheAttributes(attributes))
        } else {
            claims.merge(attributes.filter { application.assertionAttributes.contains($0.key) }) { $1 }
        }
        execution.assertion = try tokens.assertion(claims, subject: user.id, audience: application.id)
        return .success
    }

    /// Whether the sign-in meets the demanded authentication classes and maximum age. If not, the flow fails (`FET-1082`).
    private func reachesDemands(_ execution: FlowExecution) -> Bool {
        let classes = execution.demands.authenticationClasses
        guard classes.isEmpty || classes.contains(execution.selectedClass ?? "") else { return false }
        guard let maximumAge = execution.demands.maximumAge else { return true }
        let age = time.now.timeIntervalSince(execution.authenticatedAt ?? time.now)
        return age <= TimeInterval(maximumAge)
    }

    /// Returns the assurance level: `AAL2` for two or more different authenticators, otherwise `AAL1`.
    private func assuranceLevel(_ execution: FlowExecution) -> String {
        let kinds = Set(execution.authenticators.compactMap { $0["authenticator"]?.stringValue })
        return kinds.count > 1 ? "AAL2" : "AAL1"
    }

    /// Returns the assertion that reports a failure to the client; `nil` for a flow without an authorization or
    /// backchannel request.
    func errorAssertion(_ description: String, for execution: FlowExecution) throws -> String? {
        guard let requestID = execution.demands.authorizationRequestID, let application = execution.application else {
            return nil
        }
        return try tokens.assertion(
            [
                "authorization_request_id": .string(requestID), "flow_error_type": "end_user_error",
                "flow_error_description": .string(description),
            ], subject: "", audience: application.id)
    }
}
