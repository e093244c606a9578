#if Tools
import Foundation
import IdentityKit

/// Stands in for Google, GitHub and everybody else: an authorization page that agrees at once.
///
/// It is no part of InsForge. A real server sends the browser to the provider's own host here.
final class FakeIdentityProvider: Sendable {
    static let path = "/fake-provider/authorize"

    private let codes = Locked<[String: LocalInsForgeServer.ProviderIdentity]>([:])

    /// Sends the browser back with a code for `identity`, or without one when the login hint is `deny`. A hint that is
    /// an address signs in as that address.
    func authorize(
        _ request: LocalRequest, as identity: LocalInsForgeServer.ProviderIdentity
    ) -> LocalResponse {
        guard let redirect = request.queryValue("redirect_uri").flatMap({ WebURL($0) }) else {
            return .text("A redirect_uri is missing.\n", status: 400)
        }
        let state = request.queryValue("state") ?? ""
        let hint = request.queryValue("login_hint") ?? ""
        if hint == "deny" {
            return .redirect(to: redirect.with(["error": "access_denied", "state": state]).href)
        }
        let code = LocalIdentifiers.base64URL(byteCount: 24)
        codes.withLock {
            $0[code] = hint.contains("@") ? .init(email: hint, name: String(hint.prefix { $0 != "@" })) : identity
        }
        return .redirect(to: redirect.with(["code": code, "state": state]).href)
    }

    /// Who a code stands for; it works once.
    func redeem(_ code: String) -> LocalInsForgeServer.ProviderIdentity? {
        codes.withLock { $0.removeValue(forKey: code) }
    }
}

/// The fake provider's authorization page.
struct FakeProviderAuthorization: InsForgeEndpoint {
    func respond(to call: InsForgeCall) -> LocalResponse {
        let rules = call.backend.rules
        let identity =
            rules.providerIdentity ?? .init(email: rules.user.email, name: rules.user.name)
        return call.backend.fakeProvider.authorize(call.request, as: identity)
    }
}
#endif
