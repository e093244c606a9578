import Foundation

/// Adds a current access token to requests that another network library sends.
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
    private let authorize: @Sendable (URLRequest) async throws -> URLRequest
    private let reauthorize: @Sendable (URLRequest, HTTPURLResponse?) async throws -> URLRequest?

    /// An authorizer with bearer tokens from any source.
    /// - Parameter token: returns a current access token; when it is given a token that was refused, another one.
    public init(token: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        authorize = { request in
            try request.checkMayCarryToken()
            return try request.bearing(try await token(nil))
        }
        reauthorize = { request, _ in
            guard let rejected = request.bearerToken else { return nil }
            try request.checkMayCarryToken()
            return try await rejected.replacingToken(text: { $0 }, token).map { try request.bearing($0) }
        }
    }

    /// An authorizer for `account`, or for the active account of `client`.
    public init(_ client: IdentityClient, as account: AccountID? = nil, scopes: Set<String> = []) {
        authorize = { try await client.authorize($0, as: account, scopes: scopes) }
        reauthorize = { try await client.reauthorize($0, after: $1, as: account, scopes: scopes) }
    }

    /// `request` with the token, and with a proof of possession where the session demands one.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise what the client throws.
    public func authorized(_ request: URLRequest) async throws -> URLRequest {
        try await authorize(request)
    }

    /// `request`, which was refused with 401, with another token, or with what the server asks for.
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the 401 response, which may demand a nonce for the proof of possession.
    /// - Returns: `nil` when the request had no token of this client, or there is no other.
    /// - Throws: as ``authorized(_:)``.
    public func reauthorized(_ request: URLRequest, after response: HTTPURLResponse? = nil) async throws -> URLRequest?
    {
        try await reauthorize(request, response)
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
}
