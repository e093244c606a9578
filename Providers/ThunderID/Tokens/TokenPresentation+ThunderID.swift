import Foundation
import IdentityKit
import IdentityOAuth

extension TokenPresentation {
    /// Creates the rules by which a client's tokens are added to requests. Usually, a token that is bound to a key is sent with
    /// a DPoP proof.
    ///
    /// Only `users/me` of the server at `baseURL` and the paths below it get a bound token as a bearer token. The server
    /// accepts no proofs there and does not check the binding.
    /// - Parameter tokens: the client. With `nil`, bound tokens can be sent only to `users/me` and the paths below it. All
    ///   other requests with a bound token fail with `invalidConfiguration`.
    init(baseURL: ServerURL, tokens: TokenService?) {
        self.init { credential in
            guard let tokens else {
                throw IAMError(
                    .invalidConfiguration,
                    "The session's tokens are bound to a key of its client. Set the client identifier.")
            }
            return try tokens.connection.prover(for: credential)
        } takesBearer: { request in
            request.isFor(ownRecordOf: baseURL)
        }
    }

    func authorization(_ credential: Credential) async throws -> ServerAPI.Authorization {
        try await prover(for: credential).map { .dpop(credential.accessToken, $0) } ?? .bearer(credential.accessToken)
    }
}

extension URLRequest {
    /// Returns whether the request goes to `users/me` of the server at `baseURL`, or to a path below it. A path below
    /// it with `%` or `.` does not count, because a proxy could interpret it as another path.
    fileprivate func isFor(ownRecordOf baseURL: ServerURL) -> Bool {
        guard let url, let asked = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let own = URLComponents(url: baseURL.appending("users/me"), resolvingAgainstBaseURL: true),
            asked.user == nil, asked.password == nil, asked.scheme?.lowercased() == own.scheme,
            asked.host?.lowercased() == own.host, asked.effectivePort == own.effectivePort
        else { return false }
        let (path, wanted) = (asked.percentEncodedPath, own.percentEncodedPath)
        guard path != wanted else { return true }
        return path.hasPrefix(wanted + "/")
            && path.dropFirst(wanted.count).utf8.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: ".") }
    }
}

extension URLComponents {
    fileprivate var effectivePort: Int? { port ?? (scheme?.lowercased() == "https" ? 443 : 80) }
}
