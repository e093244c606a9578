import Foundation
import IdentityKit

/// A stand-in for Google, GitHub and other providers: its authorization page approves at once, or asks who the person is.
///
/// It is not part of InsForge. A real server would redirect the browser to the provider's own host.
final class FakeIdentityProvider: Sendable {
    static let path = "/fake-provider/authorize"

    private let codes: ExpiringStore<LocalInsForgeServer.ProviderIdentity>

    init(time: TimeSource) { codes = ExpiringStore(lifetime: .seconds(600), time: time) }

    /// Returns the address of the server's callback with a new code for `identity`.
    func address(for request: FakeProviderRequest, as identity: LocalInsForgeServer.ProviderIdentity) -> String {
        let code = LocalIdentifiers.base64URL(byteCount: 24)
        codes.insert(identity, for: code)
        return request.redirect.with(["code": code, "state": request.state]).href
    }

    /// Returns the identity for which a code was issued; `nil` if the code is unknown, used, or older than ten minutes.
    func redeem(_ code: String) -> LocalInsForgeServer.ProviderIdentity? { codes.take(code) }
}

struct FakeProviderRequest: Sendable {
    let redirect: WebURL
    let state: String

    /// - Parameter origin: the origin of this server. The initializer returns `nil` unless `redirect_uri` has this origin.
    init?(_ parameters: [LocalRequest.Parameter], from origin: String) {
        guard let redirect = parameters.first(where: { $0.name == "redirect_uri" }).flatMap({ WebURL($0.value) }),
            redirect.href.hasPrefix(origin + "/")
        else { return nil }
        self.redirect = redirect
        state = parameters.first { $0.name == "state" }?.value ?? ""
    }

    /// The address of the server's callback for a person who denies the sign-in.
    var refusal: String { redirect.with(["error": "access_denied", "state": state]).href }

    /// The provider's name, which is `google` in the callback `…/oauth/google/callback`, and `mock` in
    /// `…/oauth/custom/mock/callback`.
    var provider: String {
        let path = URLComponents(string: redirect.href)?.path.split(separator: "/") ?? []
        return path.dropLast().last.map(String.init) ?? "a provider"
    }

    /// The parameters of the request, as hidden fields of a form.
    var hidden: [(name: String, value: String)] { [("redirect_uri", redirect.href), ("state", state)] }
}

extension InsForgeCall {
    /// `GET /fake-provider/authorize`: usually signs in the configured person. If the query parameter `login_hint` is an
    /// e-mail address, the person with that address is signed in instead. The hint `deny` denies the sign-in.
    ///
    /// With ``LocalInsForgeServer/Configuration/asksPeople``, the response is a form instead, which asks who signs in. If
    /// `login_hint` is an e-mail address, the form's address field contains it.
    func authorizeAtFakeProvider() throws -> LocalResponse {
        guard let sent = FakeProviderRequest(request.query, from: backend.origin) else {
            return InsForgePage.unknownRedirect.response(status: 400)
        }
        let rules = backend.rules
        let hint = request.queryValue("login_hint") ?? ""
        let usual = rules.providerIdentity ?? .init(email: rules.user.email.lowercased(), name: rules.user.name)
        if rules.asksPeople {
            let users = backend.users.all.map {
                LocalInsForgeServer.ProviderIdentity(email: $0.email, name: $0.profile["name"]?.stringValue ?? "")
            }
            let state = try? backend.tokens.hourClaims(of: sent.state)
            return InsForgePage.fakeProvider(
                sent, accounts: [usual] + users.filter { $0.email != usual.email },
                email: hint.contains("@") ? hint : "", target: state?["redirectUri"]?.stringValue
            ).response()
        }
        guard hint != "deny" else { return .redirect(to: sent.refusal) }
        let identity =
            hint.contains("@")
            ? LocalInsForgeServer.ProviderIdentity(email: hint, name: String(hint.prefix { $0 != "@" })) : usual
        return .redirect(to: backend.fakeProvider.address(for: sent, as: identity))
    }

    /// `POST /fake-provider/authorize`: handles the form of the provider's page, and redirects the browser to the callback.
    func decideAtFakeProvider() throws -> LocalResponse {
        let rules = backend.rules
        guard rules.asksPeople else { throw InsForgeNotFoundError() }
        guard request.isFromOwnPage else { return HTMLPage.foreignForm(site: InsForgePage.fakeSite) }
        guard let sent = FakeProviderRequest(request.form ?? [], from: backend.origin) else {
            return InsForgePage.unknownRedirect.response(status: 400)
        }
        guard request.formValue("decision") != "deny" else { return .seeOther(sent.refusal) }
        if let usual = rules.providerIdentity, usual.email == request.formValue("account") {
            return .seeOther(backend.fakeProvider.address(for: sent, as: usual))
        }
        let email = request.formValue("account") ?? request.formValue("email") ?? ""
        let known = backend.users.user(email: email.lowercased())?.profile["name"]?.stringValue
        let typed = request.formValue("name").nonEmpty
        let identity = LocalInsForgeServer.ProviderIdentity(
            email: email, name: known ?? typed ?? String(email.prefix { $0 != "@" }))
        return .seeOther(backend.fakeProvider.address(for: sent, as: identity))
    }
}
