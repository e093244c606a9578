import Foundation
import IdentityKit

/// The destination of an authorization response, and the request's `state` to return there (RFC 6749 section 4.1.2).
struct OpenIDCallback: Sendable {
    let redirectURI: String
    let responseMode: OpenIDAuthorizationRequest.ResponseMode
    let state: String?
}

extension OpenIDCall {
    /// Returns the redirect or form post that brings the authorization code to the client.
    /// - Parameter user: the identifier of a user who consented to this client for the first time; otherwise `nil`.
    func response(to callback: OpenIDCallback, code: String, of user: String?) -> LocalResponse {
        let claims = user.flatMap { behaviour.has(.personInForm) ? backend.user($0)?.claims : nil }
        let person = claims.map { claims in
            let members: [String: JSONValue] = [
                "name": ["firstName": claims["given_name"] ?? "", "lastName": claims["family_name"] ?? ""],
                "email": claims["email"] ?? "",
            ]
            return ("user", String(decoding: LocalResponse.json(.object(members)).body, as: UTF8.self))
        }
        return response(to: callback, [("code", code)] + (person.map { [$0] } ?? []), isError: false)
    }

    /// Returns the redirect or form post that brings the error to the client.
    /// - Throws: ``OpenIDServerError`` for an error page, if the error has no callback.
    func response(to refusal: OpenIDRequestError) throws -> LocalResponse {
        guard let callback = refusal.callback else { throw OpenIDServerError.page(status: 400, refusal.description) }
        let parameters = [("error", refusal.error), ("error_description", refusal.description)]
        return response(to: callback, parameters, isError: true)
    }

    private func response(to callback: OpenIDCallback, _ own: [(String, String)], isError: Bool) -> LocalResponse {
        var parameters = own
        if let state = callback.state { parameters.append(("state", state)) }
        if !(isError && behaviour.has(.errorCallbackWithoutIssuer)), !behaviour.has(.tenantIssuers) {
            parameters.append(("iss", backend.issuer(behaviour)))
        }
        if behaviour.has(.extraCallbackParameters) {
            parameters += [("session_state", "a.b+c/d="), ("ext", "ü & co")]
        }
        for misbehaviour in behaviour.misbehaviours { spoil(&parameters, of: callback, misbehaviour) }
        switch callback.responseMode {
        case .query:
            let isLeaking = behaviour.has(.tokensInCallback)
            return .seeOther(
                callback.redirectURI.appendingQuery(LocalRequest.encodeForm(parameters))
                    + (isLeaking ? "#access_token=leaked&token_type=Bearer" : ""))
        case .formPost:
            if behaviour.has(.tokensInCallback) { parameters.append(("access_token", "leaked")) }
            return OpenIDPage.autoForm(action: callback.redirectURI, parameters).response()
        }
    }

    private func spoil(
        _ parameters: inout [(String, String)], of callback: OpenIDCallback,
        _ misbehaviour: LocalOpenIDConnectServer.Misbehaviour
    ) {
        func replace(_ name: String, with values: String...) {
            let place = parameters.firstIndex { $0.0 == name } ?? parameters.endIndex
            parameters.removeAll { $0.0 == name }
            parameters.insert(contentsOf: values.map { (name, $0) }, at: min(place, parameters.endIndex))
        }
        switch misbehaviour {
        case .wrongCallbackState: replace("state", with: "another-state")
        case .missingCallbackState: replace("state")
        case .repeatedCallbackState: replace("state", with: callback.state ?? "", "another-state")
        case .wrongCallbackIssuer: replace("iss", with: OpenIDBehaviour.foreignIssuer)
        case .missingCallbackIssuer: replace("iss")
        case .missingCode: replace("code")
        case .repeatedCode: parameters.append(("code", "another-code"))
        case .codeAndError: parameters.append(("error", "access_denied"))
        default: break
        }
    }
}
