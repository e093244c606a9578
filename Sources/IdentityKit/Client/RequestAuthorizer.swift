import Foundation

/// Adds a current access token to requests that another network library sends, and prepares refused requests to be sent
/// again. ``IdentityClient/authorizer(as:scopes:mayShowSignIn:)`` makes an authorizer.
///
/// A library that follows redirects may send the token to another server, as Foundation on Linux does. Turn redirects
/// off, or pass the new request of each redirect through ``redirected(_:by:)``; see <doc:SendingRequests>.
///
/// With Alamofire, an interceptor calls the authorizer:
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
    private let authorizing: @Sendable (URLRequest) async throws -> URLRequest
    private let retrying: @Sendable (URLRequest, HTTPURLResponse?) async throws -> URLRequest?

    /// Creates an authorizer with bearer tokens from any source.
    /// - Parameter token: returns a current access token. The argument is a refused token that must be replaced; `nil`
    ///   when no token was refused.
    public init(token: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        authorizing = { request in
            try request.checkMayCarryToken()
            return try request.bearing(try await token(nil))
        }
        retrying = { request, response in
            guard let rejected = request.bearerToken, response?.statusCode ?? 401 == 401 else { return nil }
            try request.checkMayCarryToken()
            let other = try await rejected.replacingToken(text: { $0 }, token)
            return request.canBeSentAgain ? try other.map { try request.bearing($0) } : nil
        }
    }

    init(
        authorizing: @escaping @Sendable (URLRequest) async throws -> URLRequest,
        retrying: @escaping @Sendable (URLRequest, HTTPURLResponse?) async throws -> URLRequest?
    ) {
        (self.authorizing, self.retrying) = (authorizing, retrying)
    }

    /// Adds the token to `request`, and a proof of possession if the session requires one.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise the error of
    ///   ``IdentityClient/authorize(_:as:scopes:)`` or of a sign-in. An authorizer that was made with ``init(token:)``
    ///   throws the error of its `token` function, and an error with the code `token_malformed` for a token that no
    ///   header can carry.
    public func authorize(_ request: URLRequest) async throws -> URLRequest { try await authorizing(request) }

    /// Prepares a refused `request` to be sent again: with another token, with what the server asks for, or with the token
    /// of a new sign-in.
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the response that refuses the request: 401, which may ask for a nonce for the proof of possession, or
    ///     403, which may ask for more scopes. Without a response only another token can be tried.
    /// - Returns: `nil` when the request had no access token, when there is nothing else to try, or when the request's
    ///   body is a stream, which can be read only once. In the last case the next request gets another token.
    /// - Throws: as ``authorize(_:)``, and what the provider throws when the user did not sign in.
    public func retry(of request: URLRequest, after response: HTTPURLResponse? = nil) async throws -> URLRequest? {
        try await retrying(request, response)
    }

    /// Returns the request with which a library may follow a redirect. If `request` goes to another scheme, host or port
    /// than the redirected request, its token and the proof of possession are removed (RFC 9110 section 15.4).
    /// - Parameters:
    ///   - request: the request that the library is about to send.
    ///   - response: the 3xx response of the server that redirects.
    public func redirected(_ request: URLRequest, by response: HTTPURLResponse) -> URLRequest {
        typealias Place = ResourceRefusals.Place
        guard Place.origin(of: request.url) != Place.origin(of: response.url) else { return request }
        var copy = request
        for name in ["Authorization", "DPoP"] { copy.setValue(nil, forHTTPHeaderField: name) }
        return copy
    }

    /// Calls ``authorize(_:)`` for code without `async`. `completion` is called on any thread.
    public func authorize(
        _ request: URLRequest, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        Task {
            do {
                completion(.success(try await authorize(request)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}
