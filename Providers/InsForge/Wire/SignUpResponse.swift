import IdentityKit
import IdentityOAuth

/// The result of a sign-up: a session, or none if the e-mail address must be verified first.
public struct SignUpResponse: Codable, Sendable {
    /// The user; `nil` if the address must be verified first.
    public let user: User?
    /// The access token; `nil` if the address must be verified first.
    public let accessToken: String?
    /// The refresh token; `nil` if the address must be verified first, or the server sent none.
    public let refreshToken: String?
    /// Whether the address must be verified before the first sign-in; `nil` if the server did not send a Boolean.
    public let requireEmailVerification: Bool?

    /// Whether ``requireEmailVerification`` is `true`; `false` if it is `nil`.
    public var needsEmailVerification: Bool { requireEmailVerification == true }
    /// Whether the sign-up opened a session: the response has a user and an access token.
    public var hasSession: Bool { accessToken != nil && user != nil }
}

extension SignUpResponse {
    /// Reads the server's response to a sign-up.
    /// - Throws: `DecodingError`, also for a token that no header can carry.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        user = try container.decodeIfPresent(User.self, forKey: .user)
        accessToken = try container.decodeTokenIfPresent(forKey: .accessToken)?.reveal()
        refreshToken = try container.decodeTokenIfPresent(forKey: .refreshToken)?.reveal()
        requireEmailVerification =
            (try? container.decodeIfPresent(Bool.self, forKey: .requireEmailVerification)) ?? nil
    }

    /// Creates the result of a sign-up that was completed by verifying the address.
    init(_ session: SessionResponse) {
        self.init(
            user: session.user, accessToken: session.accessToken.reveal(), refreshToken: session.refreshToken?.reveal(),
            requireEmailVerification: false)
    }
}

extension SignUpResponse: CustomStringConvertible, Reticent {
    /// The outcome, without the tokens.
    public var description: String {
        hasSession ? "SignUpResponse(signed in)" : "SignUpResponse(verification needed: \(needsEmailVerification))"
    }

    /// Shows the user, but not the tokens.
    package var shown: KeyValuePairs<String, Any> { ["user": user as Any] }
}

/// The response to a native client's sign-in, its exchange of an authorization code, or its verification of an e-mail
/// address.
struct SessionResponse: Sendable {
    let user: User
    let accessToken: Secret
    let refreshToken: Secret?
}

extension SessionResponse: Decodable {
    private enum CodingKeys: String, CodingKey {
        case user, accessToken, refreshToken
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        user = try container.decode(User.self, forKey: .user)
        accessToken = try container.decodeToken(forKey: .accessToken)
        refreshToken = try container.decodeTokenIfPresent(forKey: .refreshToken)
    }
}

/// The response to a refresh. Only the access token is required. Other members that cannot be read are ignored: the server may
/// have used up the previous refresh token, so an error would lose the session.
struct RefreshedSession: Sendable, Decodable {
    /// The user; `nil` if the response has no readable one.
    let user: ReceivedUser?
    let accessToken: Secret
    /// The new refresh token. `nil` if the response has no readable one; the previous refresh token then stays.
    let refreshToken: Secret?
    let faults: [ResponseFault]

    private enum CodingKeys: CodingKey {
        case user, accessToken, refreshToken
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try container.decodeToken(forKey: .accessToken)
        var faults: [ResponseFault] = []
        func readable<Value>(_ key: CodingKeys, _ read: () throws -> Value?) -> Value? {
            do {
                return try read()
            } catch {
                faults.append(.invalidMember(key.stringValue))
                return nil
            }
        }
        user = readable(.user) { try container.decodeIfPresent(ReceivedUser.self, forKey: .user) }
        if user == nil, faults.isEmpty { faults.append(.missingMember("user")) }
        refreshToken = readable(.refreshToken) { try container.decodeTokenIfPresent(forKey: .refreshToken) }
        self.faults = faults + (user?.faults ?? [])
    }
}
