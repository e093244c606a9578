import IdentityKit

/// The sign-ins for which a person's confirmation is awaited (OpenID Connect CIBA, poll mode).
typealias BackchannelRequests = PolledSignIns<BackchannelRequest, BackchannelRequest.Confirmation>

struct BackchannelRequest: PolledRequest {
    /// The person's authentication at the time of the confirmation.
    struct Confirmation: Sendable {
        let attributeCacheID: String?
        let authenticationTime: Int64
        let authenticationClass: String?
    }

    let clientID: String
    let userID: String
    let scopes: [String]
    let resource: String?
    /// Identifier of the request on the page that the message links to.
    let authID: String
    let executionID: String

    static let lifetime: Duration = .seconds(300)
    static let interval: Duration = .seconds(5)
}

extension BackchannelRequests {
    /// The waiting request with this identifier of its page.
    func waiting(authID: String) -> BackchannelRequest? { waiting.first { $0.authID == authID } }

    /// The waiting request that this flow belongs to.
    func waiting(executionID: String) -> BackchannelRequest? { waiting.first { $0.executionID == executionID } }
}
