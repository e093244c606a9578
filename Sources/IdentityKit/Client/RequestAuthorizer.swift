import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Puts a current access token into requests that another network library sends.
///
/// With Alamofire, an interceptor is a type that forwards to it:
///
/// ```swift
/// struct TokenInterceptor: RequestInterceptor {
///     let authorizer: RequestAuthorizer
///
///     func adapt(
///         _ urlRequest: URLRequest, for session: Session,
///         completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
///     ) {
///         authorizer.authorize(urlRequest, completion: completion)
///     }
/// }
/// ```
public struct RequestAuthorizer: Sendable {
    private let token: @Sendable (_ rejected: String?) async throws -> String

    /// An authorizer over anything that has tokens.
    /// - Parameter token: a current access token; with a token that was refused, another one than that.
    public init(token: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        self.token = token
    }

    /// An authorizer for the active account of `client`.
    public init(_ client: IdentityClient, scopes: Set<String> = []) {
        self.init { rejected in
            if let rejected { return try await client.accessToken(scopes: scopes, replacing: rejected) }
            return try await client.accessToken(scopes: scopes)
        }
    }

    /// `request` with the token.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise what the client throws.
    public func authorized(_ request: URLRequest) async throws -> URLRequest {
        try await authorized(request, replacing: nil)
    }

    /// `request` once more, after it was refused with 401, with another token than the one it has.
    /// - Returns: `nil` when it had none of ours, or there is no other: then the refusal stands.
    /// - Throws: as ``authorized(_:)``.
    public func reauthorized(_ request: URLRequest) async throws -> URLRequest? {
        let header = request.value(forHTTPHeaderField: "Authorization") ?? ""
        guard header.hasPrefix("Bearer ") else { return nil }
        let again = try await authorized(request, replacing: String(header.dropFirst("Bearer ".count)))
        return again.value(forHTTPHeaderField: "Authorization") == header ? nil : again
    }

    /// ``authorized(_:)`` for code without `async`. `completion` is called on any thread.
    public func authorize(
        _ request: URLRequest, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        Task {
            do {
                completion(.success(try await authorized(request)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func authorized(_ request: URLRequest, replacing rejected: String?) async throws -> URLRequest {
        guard let url = request.url, url.scheme == "https" || ServerURL.isLoopback(url.host ?? "") else {
            throw ClientError.insecureRequest(request.url?.host ?? "an unknown host")
        }
        var copy = request
        copy.setValue("Bearer \(try await token(rejected))", forHTTPHeaderField: "Authorization")
        return copy
    }
}
