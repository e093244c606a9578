import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// snippet: an-sdk
/// Reads the mail of whoever is signed in.
public struct MailService: Sendable {
    /// What the mail of a person needs.
    static let scopes: Set = ["email"]

    let identity: any IdentityProvider
    let deviceToken: String

    /// A service for the account that `identity` answers with.
    public init(identity: any IdentityProvider, deviceToken: String) {
        self.identity = identity
        self.deviceToken = deviceToken
    }

    /// Who is signed in, with the token for a call; `nil` when nobody is.
    public func session() async throws -> (account: AccountID, token: String)? {
        guard let account = try await identity.activeAccount(scopes: Self.scopes, deviceToken: deviceToken) else {
            return nil
        }
        return (account, try await identity.accessToken(for: account, scopes: Self.scopes))
    }
}
// end snippet

extension MailService {
    /// What the mail server answers at `address`, and for whom; `nil` when nobody is signed in.
    public func mail(at address: URL) async throws -> (account: AccountID, text: String)? {
        guard let (account, token) = try await session() else { return nil }
        var request = URLRequest(url: address)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, response) = try await DefaultTransport.make().data(for: request)
        guard response.statusCode == 200 else { throw MailError.refused(status: response.statusCode) }
        return (account, String(decoding: data, as: UTF8.self))
    }
}

/// Why there is no mail.
public enum MailError: Error, Equatable {
    /// The mail server answered with this status.
    case refused(status: Int)
}
