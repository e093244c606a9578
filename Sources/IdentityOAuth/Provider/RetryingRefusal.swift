extension OAuthError {
    /// Whether the resource refused the token: any error response with status 401, whatever its error code (RFC 6750 section
    /// 3.1).
    package var isUnauthorized: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 401
        case .invalidResponse(.failedStatus(401), _), .invalidResponse(.errorPage(401), _): true
        default: false
        }
    }
}

/// Calls a server with a session's token, and once more with another token if the server refuses the first one. The
/// second call's outcome is final.
/// - Parameters:
///   - isRefusal: whether an error means that the token was refused; by default an ``OAuthError`` for status 401.
///   - token: returns a valid token. After a refusal, it receives the refused token and returns a different one.
///   - call: sends the request with the given token.
/// - Throws: what `token` and `call` throw.
package func retryingRefusal<Token, Response>(
    when isRefusal: (any Error) -> Bool = { ($0 as? OAuthError)?.isUnauthorized == true },
    token: (_ refused: Token?) async throws -> Token,
    _ call: (Token) async throws -> Response
) async throws -> Response {
    let first = try await token(nil)
    do {
        return try await call(first)
    } catch let error where isRefusal(error) {
        return try await call(try await token(first))
    }
}
