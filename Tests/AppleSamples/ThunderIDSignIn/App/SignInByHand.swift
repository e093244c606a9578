import ThunderID

/// The flow, driven by hand.
func signInByHand(_ client: ThunderIDClient, name: String, password: String) async throws -> Bool {
    let request = EmbeddedFlowRequestConfig(applicationId: "notes", flowType: .authentication)
    let first = try await client.signIn(payload: EmbeddedSignInPayload(), request: request)
    let second = try await client.signIn(
        payload: EmbeddedSignInPayload(
            flowId: first.flowId, actionId: first.actions.first?.id,
            inputs: ["username": name, "password": password]),
        request: request)
    return second.flowStatus == .complete
}

/// A client of one's own, the profile, and what goes wrong.
func lookAtProfile() async throws {
    let client = ThunderIDClient()
    _ = try await client.initialize(
        config: ThunderIDConfig(baseUrl: "https://localhost:8090", clientId: "notes", scopes: ["openid"]))
    do {
        let user = try await client.getUser()
        print(user.sub)
        let claims: [String: AnyCodable] = try client.decodeJwtToken(try await client.getAccessToken())
        print(claims.keys)
    } catch let error as IAMError {
        print("[\(error.code.rawValue)] \(error.message)")
    }
}
