import IdentityKit

/// The sign-ins that a person confirms on another device while the client polls (OpenID Connect CIBA, poll mode).
typealias BackchannelRequests = PolledSignIns<BackchannelRequest, BackchannelRequest.Confirmation>

struct BackchannelRequest: PolledRequest {
    /// The authentication by which the person confirmed the request, from the flow's assertion.
    struct Confirmation: Sendable {
        let attributeCacheID: String?
        let authenticationTime: Int64
        let authenticationClass: String?
    }

    let clientID: String
    let userID: String
    let scopes: [String]
    let resource: String?
    /// The `authId` in the link of the message that asks the person to confirm the sign-in.
    let authID: String
    let executionID: String

    static let lifetime: Duration = .seconds(300)
    static let interval: Duration = .seconds(5)
}

extension BackchannelRequests {
    /// Returns the request with this `authId` that awaits a decision; `nil` for none.
    func waiting(authID: String) -> BackchannelRequest? { waiting.first { $0.authID == authID } }

    /// Returns the request with this flow that awaits a decision; `nil` for none.
    func waiting(executionID: String) -> BackchannelRequest? { waiting.first { $0.executionID == executionID } }
}
