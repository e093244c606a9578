import Foundation
import IdentityKit

/// `GET|POST /end-session` (OpenID Connect RP-Initiated Logout 1.0 section 2). It revokes no token.
///
/// Any page can send a browser here. So the person is asked, unless an ID token shows that it is their session.
struct OpenIDEndSession: OpenIDEndpoint {
    /// The name of the buttons of the question, and what the one sends that signs out.
    static let answer = (name: "sign_out", yes: "yes")

    func respond(to call: OpenIDCall) throws -> LocalResponse {
        let hint = try hint(call)
        let named = call.parameter("client_id")
        guard named == nil || hint == nil || hint?.clientID == named else { throw refusal("client_id") }
        let target = try target(forClient: hint?.clientID ?? named, call)
        if let session = call.backend.sessions.session(of: call.request), session.userID != hint?.userID {
            switch call.field(Self.answer.name) {
            case let answer? where call.request.isFromOwnPage:
                guard answer == Self.answer.yes else {
                    return OpenIDPage.message("Still signed in", "You can close this page.").response()
                }
            default: return question(session, target, call).response()
            }
        }
        call.backend.sessions.end(call.request, userID: hint?.userID)
        call.backend.counters.withLock { $0.signOuts += 1 }
        guard let target else { return OpenIDPage.message("Signed out", "You can close this page.").response() }
        return LocalResponse(status: 303, headers: [("Location", target), ("Cache-Control", "no-store")])
    }

    private func question(_ session: OpenIDSessions.Session, _ target: String?, _ call: OpenIDCall) -> HTMLPage {
        let names = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]
        return OpenIDPage.signOut(
            action: call.backend.baseURL + OpenIDEndpoints.endSession,
            hidden: names.compactMap { name in call.parameter(name).map { (name, $0) } },
            user: call.backend.user(session.userID)?.username ?? "", target: target)
    }

    /// Whom the ID token is about, however old it is (section 4).
    private func hint(_ call: OpenIDCall) throws -> (userID: String, clientID: String)? {
        guard let text = call.parameter("id_token_hint") else { return nil }
        guard let claims = call.backend.ownIDToken(text), let userID = claims["sub"]?.stringValue,
            let clientID = claims["aud"]?.stringValue ?? claims["aud"]?.arrayValue?.first?.stringValue
        else { throw refusal("id_token_hint") }
        return (userID, clientID)
    }

    /// Where the browser goes: nowhere, unless the client is known and registered the address (section 3).
    private func target(forClient clientID: String?, _ call: OpenIDCall) throws -> String? {
        guard let address = call.parameter("post_logout_redirect_uri") else { return nil }
        guard let client = clientID.flatMap(call.backend.client),
            RedirectRegistration(client.postLogoutRedirectURIs).contains(address)
        else { throw refusal("post_logout_redirect_uri") }
        guard let state = call.parameter("state") else { return address }
        return address + (address.contains("?") ? "&" : "?") + LocalRequest.encodeForm([("state", state)])
    }

    private func refusal(_ name: String) -> OpenIDFailure {
        .page(status: 400, "The application asked for a sign-out in a wrong way: \(name).")
    }
}
