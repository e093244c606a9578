import Foundation
import IdentityKit
import IdentityOAuth

extension TokenPresentation {
    /// Presents tokens of a client at the server at `baseURL`.
    ///
    /// A bound token is sent as a bearer token only to the person's own record, because that part of the server accepts
    /// nothing else and does not check the binding.
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
    /// Whether the request's address is `users/me` of the server at `baseURL`, or below it. Addresses that a proxy
    /// could interpret differently do not count.
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
