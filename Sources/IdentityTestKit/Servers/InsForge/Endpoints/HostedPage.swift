#if Tools
import Foundation
import IdentityKit

/// `GET /auth/sign-in`: the page that servers hosted before March 2026 (InsForge contract, hosted page), with a person in
/// front of it who signs in at once as the user that exists from the start.
///
/// Without `redirect` the real page shows an error card; here it is a page, too.
struct HostedPage: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let backend = call.backend
        guard backend.rules.legacy.servesHostedPage else { throw InsForgeNotFound() }
        guard let target = call.request.queryValue("redirect"), let redirect = WebURL(target) else {
            return .html("<!DOCTYPE html>\n<p>Add the redirect parameter.</p>\n")
        }
        try backend.requireAllowed(redirect: target)
        guard let user = backend.users.user(id: backend.rules.user.id) else { throw InsForgeFailure.userNotFound }
        if !backend.rules.legacy.callbackCarriesTokens, let challenge = call.request.queryValue("code_challenge") {
            let code = backend.oauthCodes.issue(userID: user.id, codeChallenge: challenge)
            return .insForgeRedirect(to: redirect.with(["insforge_code": code]).href)
        }
        return .insForgeRedirect(to: try handOff(user, to: target, in: backend))
    }

    /// The page's own way to sign an app in: it replaced the whole query, and wrote `undefined` for a missing name.
    private func handOff(_ user: InsForgeUser, to target: String, in backend: InsForgeBackend) throws -> String {
        let session = InsForgeSession(subject: user.id, type: .user)
        let csrfToken = backend.tokens.csrfToken(subject: user.id, type: .user, csrfNonce: session.csrfNonce)
        let base = target.split(separator: "?", maxSplits: 1).first.map(String.init) ?? target
        return base + "?"
            + LocalRequest.encodeForm([
                (name: "access_token", value: try backend.tokens.accessToken(for: user)),
                (name: "user_id", value: user.id), (name: "email", value: user.email),
                (name: "name", value: user.profile["name"]?.stringValue ?? "undefined"),
                (name: "csrf_token", value: csrfToken),
            ])
    }
}

/// The path exists on other servers, and not on this one.
struct InsForgeNotFound: Error {}
#endif
