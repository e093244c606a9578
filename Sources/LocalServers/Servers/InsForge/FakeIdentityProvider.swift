import Foundation
import IdentityKit

/// Stands in for Google, GitHub and everybody else: an authorization page that agrees at once, or asks who somebody is.
///
/// It is no part of InsForge. A real server sends the browser to the provider's own host here.
final class FakeIdentityProvider: Sendable {
    static let path = "/fake-provider/authorize"

    private let codes: ExpiringStore<LocalInsForgeServer.ProviderIdentity>

    init(time: TimeSource) {
        codes = ExpiringStore(lifetime: .seconds(600), time: time)
    }

    /// Where the browser goes back to, with a code for `identity`.
    func address(for request: FakeProviderRequest, as identity: LocalInsForgeServer.ProviderIdentity) -> String {
        let code = LocalIdentifiers.base64URL(byteCount: 24)
        codes.insert(identity, for: code)
        return request.redirect.with(["code": code, "state": request.state]).href
    }

    /// Who a code stands for; it works once, within ten minutes.
    func redeem(_ code: String) -> LocalInsForgeServer.ProviderIdentity? {
        codes.take(code)
    }
}

/// What the server asks of the provider.
struct FakeProviderRequest: Sendable {
    let redirect: WebURL
    let state: String

    /// - Parameter origin: the only server that people are sent back to from here.
    init?(_ parameters: [LocalRequest.Parameter], from origin: String) {
        guard let redirect = parameters.first(where: { $0.name == "redirect_uri" }).flatMap({ WebURL($0.value) }),
            redirect.href.hasPrefix(origin + "/")
        else { return nil }
        self.redirect = redirect
        state = parameters.first { $0.name == "state" }?.value ?? ""
    }

    /// Where the browser goes back to when somebody refuses.
    var refusal: String { redirect.with(["error": "access_denied", "state": state]).href }

    /// The provider's name, out of the callback's path: `…/oauth/google/callback`, `…/oauth/custom/mock/callback`.
    var provider: String {
        let path = URLComponents(string: redirect.href)?.path.split(separator: "/") ?? []
        return path.dropLast().last.map(String.init) ?? "a provider"
    }

    /// The same again, for a form.
    var hidden: [(name: String, value: String)] { [("redirect_uri", redirect.href), ("state", state)] }
}

/// `GET /fake-provider/authorize`. A login hint that is an address signs in as that address, and `deny` refuses; where people
/// are asked, it fills in the form.
struct FakeProviderAuthorization: InsForgeEndpoint {
    func respond(to call: InsForgeCall) -> LocalResponse {
        guard let request = FakeProviderRequest(call.request.query, from: call.origin) else {
            return InsForgePage.unknownRedirect.response(status: 400)
        }
        let rules = call.backend.rules
        let hint = call.request.queryValue("login_hint") ?? ""
        let usual = rules.providerIdentity ?? .init(email: rules.user.email, name: rules.user.name)
        if rules.asksPeople {
            let users = call.backend.users.all.map {
                LocalInsForgeServer.ProviderIdentity(email: $0.email, name: $0.profile["name"]?.stringValue ?? "")
            }
            let state = try? call.backend.tokens.hourClaims(of: request.state)
            return InsForgePage.fakeProvider(
                request, accounts: [usual] + users.filter { $0.email != usual.email },
                email: hint.contains("@") ? hint : "", target: state?["redirectUri"]?.stringValue
            ).response()
        }
        guard hint != "deny" else { return .redirect(to: request.refusal) }
        let identity =
            hint.contains("@")
            ? LocalInsForgeServer.ProviderIdentity(email: hint, name: String(hint.prefix { $0 != "@" })) : usual
        return .redirect(to: call.backend.fakeProvider.address(for: request, as: identity))
    }
}

/// `POST /fake-provider/authorize`: who somebody says they are.
struct FakeProviderDecision: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let rules = call.backend.rules
        guard rules.asksPeople else { throw InsForgeNotFound() }
        guard call.request.isFromOwnPage else { return HTMLPage.foreignForm(site: InsForgePage.fakeSite) }
        guard let request = FakeProviderRequest(call.request.form ?? [], from: call.origin) else {
            return InsForgePage.unknownRedirect.response(status: 400)
        }
        guard call.request.formValue("decision") != "deny" else { return .seeOther(request.refusal) }
        if let usual = rules.providerIdentity, usual.email == call.request.formValue("account") {
            return .seeOther(call.backend.fakeProvider.address(for: request, as: usual))
        }
        let email = call.request.formValue("account") ?? call.request.formValue("email") ?? ""
        let known = call.backend.users.user(email: email)?.profile["name"]?.stringValue
        let typed = call.request.formValue("name").flatMap { $0.isEmpty ? nil : $0 }
        let identity = LocalInsForgeServer.ProviderIdentity(
            email: email, name: known ?? typed ?? String(email.prefix { $0 != "@" }))
        return .seeOther(call.backend.fakeProvider.address(for: request, as: identity))
    }
}
