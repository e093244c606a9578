import IdentityKit

extension OAuthError {
    /// Whether a resource refused the token (RFC 6750 section 3.1), in whatever words.
    package var isUnauthorized: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 401
        case .unusableAnswer(.failedStatus(401), _), .unusableAnswer(.errorPage(401), _): true
        default: false
        }
    }
}

/// Asks a resource with `credential`, and once more with what `replace` gives when the resource does not accept its token:
/// as every request that is authorized.
/// - Throws: the refusal, when there is no other token; otherwise what `ask` and `replace` throw.
package func retryingRefusal<Answer>(
    of credential: Credential, replace: () async throws -> Credential, _ ask: (Credential) async throws -> Answer
) async throws -> Answer {
    do {
        return try await ask(credential)
    } catch let error as OAuthError where error.isUnauthorized {
        let other = try await replace()
        guard other.accessToken != credential.accessToken else { throw error }
        return try await ask(other)
    }
}
