import Foundation

extension IdentityClient {
    /// Makes an authorizer that adds tokens to the requests of another network library, under the rules of
    /// ``data(for:as:scopes:mayShowSignIn:)``.
    /// - Parameters:
    ///   - account: the account; `nil` for the account whose provider has the request's address in
    ///     ``ProviderConfiguration/sendsTo``, or else the active one.
    ///   - scopes: the scopes that the tokens must have.
    ///   - mayShowSignIn: whether ``RequestAuthorizer/authorize(_:)`` and ``RequestAuthorizer/retry(of:after:)`` may show a
    ///     sign-in.
    public func authorizer(
        as account: AccountID? = nil, scopes: Set<String> = [], mayShowSignIn: Bool = false
    ) -> RequestAuthorizer {
        RequestAuthorizer {
            try await self.authorize($0, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn)
        } retrying: {
            try await self.retry(of: $0, after: $1, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn)
        }
    }

    private func authorize(
        _ request: URLRequest, as account: AccountID?, scopes: Set<String>, mayShowSignIn: Bool
    ) async throws -> URLRequest {
        do {
            return try await authorize(request, as: account, scopes: scopes)
        } catch let error where mayShowSignIn && error.asksForSignIn {
            try await showSignIn(for: request, as: account, after: error, scopes: scopes)
            return try await authorize(request, as: account, scopes: scopes)
        }
    }

    private func retry(
        of request: URLRequest, after response: HTTPURLResponse?, as account: AccountID?, scopes: Set<String>,
        mayShowSignIn: Bool
    ) async throws -> URLRequest? {
        let mayShowSignIn = mayShowSignIn && request.canBeSentAgain
        if response?.statusCode ?? 401 == 401 {
            do {
                let again = try await reauthorize(request, after: response, as: account, scopes: scopes)
                guard request.canBeSentAgain else { return nil }
                if let again { return again }
            } catch let error where mayShowSignIn && error.asksForSignIn {
                return try await authorize(request, as: account, scopes: scopes, mayShowSignIn: true)
            }
        }
        guard mayShowSignIn, let response else { return nil }
        return try await steppingUp(request, refusedBy: response, as: account, scopes: scopes)
    }

    /// Lets the person agree to what the resource asks for, and prepares `request` to be sent again. If a concurrent
    /// request has obtained a new token, a request that was refused with 403 gets that token without asking the person.
    /// - Returns: `nil` in these cases: the request had no access token; the response is neither 401 nor 403; the provider
    ///   does not understand the challenge; the person was already asked because of the same challenge; the resource refuses
    ///   the token itself, and the person was already asked in the same session.
    private func steppingUp(
        _ request: URLRequest, refusedBy response: HTTPURLResponse, as account: AccountID?, scopes: Set<String>
    ) async throws -> URLRequest? {
        guard request.hasAccessToken, [401, 403].contains(response.statusCode) else { return nil }
        let current = try await authorize(request, as: account, scopes: scopes)
        // If the session now has another token than `request`, a concurrent request has obtained it, perhaps by asking the
        // person, or it was refreshed. After a 403, try that token before asking the person.
        if current.authorization != request.authorization, response.statusCode == 403 { return current }
        let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate")
        let context = try await context(scopes, stores: true)
        return try await acting(for: request, as: account, scopes) { acting in
            let place = ResourceRefusals.Place(acting.account, at: request.url)
            guard !refusals.hasSteppedUp(place, for: challenge, with: request.authorization),
                try await askPerson(for: request, refusedBy: response, acting, in: context)
            else { return nil }
            let again = try await acting.chain.authorize(request, for: acting.account, scopes: scopes)
            refusals.steppedUp(place, for: challenge, with: again.authorization)
            return again
        }
    }
}
