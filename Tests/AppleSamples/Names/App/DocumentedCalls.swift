import Foundation
import ThunderID

/// Every call of the client that ThunderID's own documentation and SDK (1.0.1) name, with the types they have there.
///
/// A call stands for itself and with its default arguments left out; the value beside it has its whole signature.
@MainActor
enum DocumentedCalls {
    static func lifecycle(client: ThunderIDClient, config: ThunderIDConfig) async throws {
        let initialize: (ThunderIDConfig, (any StorageAdapter)?) async throws -> Bool =
            client.initialize(config:storage:)
        let reInitialize: (String?, String?) async throws -> Bool = client.reInitialize(baseUrl:clientId:)
        let getConfiguration: () throws -> ThunderIDConfig = client.getConfiguration
        let isLoading: () -> Bool = client.isLoading
        _ = (initialize, reInitialize, getConfiguration, isLoading)
        let isReady: Bool = try await client.initialize(config: config)
        let isMoved: Bool = try await client.reInitialize(baseUrl: "https://id.example.com")
        print(isReady, isMoved, try client.getConfiguration().baseUrl, client.isLoading())
    }

    static func signIn(client: ThunderIDClient, request: EmbeddedFlowRequestConfig) async throws {
        typealias Payload = EmbeddedSignInPayload
        typealias Request = EmbeddedFlowRequestConfig
        let signIn: (Payload, Request, String?) async throws -> EmbeddedFlowResponse =
            client.signIn(payload:request:sessionId:)
        let signUp: (Payload?, Request?) async throws -> EmbeddedFlowResponse = client.signUp(payload:request:)
        let buildSignInURL: (SignInOptions?) throws -> URL = client.buildSignInURL(options:)
        let handleRedirectCallback: (URL) async throws -> User = client.handleRedirectCallback(url:)
        _ = (signIn, signUp, buildSignInURL, handleRedirectCallback)
        let step: EmbeddedFlowResponse = try await client.signIn(payload: EmbeddedSignInPayload(), request: request)
        let next = EmbeddedSignInPayload(
            flowId: step.flowId, actionId: step.actions.first?.id, inputs: ["username": "ada"])
        _ = try await client.signIn(payload: next, request: request)
        _ = try await client.signUp()
        let page: URL = try client.buildSignInURL()
        let user: User = try await client.handleRedirectCallback(url: page)
        print(user.sub, step.flowStatus == .complete, step.assertion ?? "")
    }

    static func session(client: ThunderIDClient) async throws {
        let isSignedIn: (String?) async throws -> Bool = client.isSignedIn(sessionId:)
        let signOut: (SignOutOptions?, String?) async throws -> String = client.signOut(options:sessionId:)
        let clearSession: (String?) -> Void = client.clearSession(sessionId:)
        let getAccessToken: (String?) async throws -> String = client.getAccessToken(sessionId:)
        let exchangeToken: (TokenExchangeRequestConfig, String?) async throws -> TokenResponse =
            client.exchangeToken(config:sessionId:)
        let decodeJwtToken: (String) throws -> [String: AnyCodable] = client.decodeJwtToken(_:)
        _ = (isSignedIn, signOut, clearSession, getAccessToken, exchangeToken, decodeJwtToken)
        let token: String = try await client.getAccessToken()
        let claims: [String: AnyCodable] = try client.decodeJwtToken(token)
        let isThere: Bool = try await client.isSignedIn()
        let target: String = try await client.signOut()
        client.clearSession()
        print(claims.keys, isThere, target)
    }

    static func profile(client: ThunderIDClient) async throws {
        let getUser: ([String: Any]?) async throws -> User = client.getUser(options:)
        let getUserProfile: ([String: Any]?) async throws -> UserProfile = client.getUserProfile(options:)
        let updateUserProfile: ([String: Any], String?) async throws -> User =
            client.updateUserProfile(payload:userId:)
        _ = (getUser, getUserProfile, updateUserProfile)
        let user: User = try await client.getUser()
        let profile: UserProfile = try await client.getUserProfile()
        let updated: User = try await client.updateUserProfile(payload: ["displayName": "Ada"])
        print(user.displayName ?? user.sub, profile.id, updated.sub)
        let meta: [String: Any] = try await client.getFlowMeta(applicationId: "app", language: "de")
        print(meta.keys, try await client.getFlowMeta(applicationId: "app").count)
    }
}
