import IdentityKit

/// The sign-ins that wait for a person to confirm a message (OpenID Connect CIBA, poll mode).
typealias BackchannelRequests = PolledSignIns<BackchannelRequest, BackchannelRequest.Confirmation>

struct BackchannelRequest: PolledRequest {
    /// The person's authentication when they confirmed.
    struct Confirmation: Sendable {
        let attributeCacheID: String?
        let authenticationTime: Int64
        let authenticationClass: String?
    }

    let clientID: String
    let userID: String
    let scopes: [String]
    let resource: String?
    /// The name of the request at the page that the message leads to.
    let authID: String
    let executionID: String

    static let lifetime: Duration = .seconds(300)
    static let interval: Duration = .seconds(5)
}

extension BackchannelRequests {
    /// The request that waits under the name of the page.
    func waiting(authID: String) -> BackchannelRequest? { waiting.first { $0.authID == authID } }

    /// The request that waits for a flow.
    func waiting(executionID: String) -> BackchannelRequest? { waiting.first { $0.executionID == executionID } }
}
