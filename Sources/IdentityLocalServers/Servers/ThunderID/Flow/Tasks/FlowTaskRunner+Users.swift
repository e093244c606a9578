import IdentityKit

/// Tasks that create or change users.
extension FlowTaskRunner {
    func resolveUserType(_ execution: inout FlowExecution) -> Outcome {
        let types = execution.application?.userTypes ?? configuration.application.userTypes
        let chosen = types.count == 1 ? types.first : execution.inputs["userType"]
        guard let chosen, types.contains(chosen) else {
            return .needs([FlowInput(identifier: "userType", type: "SELECT", options: types)])
        }
        execution.userType = chosen
        return .success
    }

    /// Chooses the organization unit. There is only one, but the flow asks for it as if there were several.
    func resolveOrganizationUnit(_ execution: inout FlowExecution) -> Outcome {
        guard execution.value("ouId") == PersonSchema.organizationUnitID else {
            execution.additionalData["rootOuId"] = PersonSchema.organizationUnitID
            execution.inputs["ouId"] = nil
            return .needs([FlowInput(identifier: "ouId", type: "OU_SELECT")])
        }
        return .success
    }

    func requireNewUser(_ execution: FlowExecution) -> Outcome {
        let isTaken = users.user(named: execution.inputs["username", default: ""]) != nil
        return isTaken ? .failure(.userAlreadyExists) : .success
    }

    func provision(_ execution: inout FlowExecution) -> Outcome {
        let missing = PersonSchema.required.filter { execution.value($0) == nil }
        guard missing.isEmpty else { return .needs(missing.map { .text($0) }) }
        let attributes = sentAttributes(execution)
        guard PersonSchema.accepts(attributes) else { return .failure(.provisioningFailed) }
        guard users.conflict(of: attributes) == nil else { return .failure(.provisioningConflict) }
        execution.userID = users.add(
            type: execution.userType, attributes: attributes,
            password: Secret(execution.inputs["password", default: ""]))
        return .success
    }

    /// Stores the entered values as attributes of the user, in place of earlier values. Values of inputs that are not
    /// attributes of the user type are ignored.
    func collectAttributes(_ execution: inout FlowExecution) -> Outcome {
        guard let user = execution.userID.flatMap(users.user(id:)) else { return .failure(.userNotAuthenticated) }
        // Attributes left empty are not stored.
        let attributes = sentAttributes(execution).filter { $0.value != "" }
        users.replaceAttributes(user.attributes.merging(attributes) { $1 }, ofUser: user.id)
        return .success
    }

    func setPassword(_ execution: FlowExecution) -> Outcome {
        guard let userID = execution.userID else { return .failure(.userNotFound) }
        users.setPassword(Secret(execution.inputs["password", default: ""]), ofUser: userID)
        return .success
    }

    private func sentAttributes(_ execution: FlowExecution) -> [String: JSONValue] {
        execution.inputs.filter { PersonSchema.attributes.contains($0.key) }.mapValues(JSONValue.string)
    }
}
