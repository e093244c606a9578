import Foundation
import IdentityKit

/// The way back to the client (RFC 6749 section 4.1.2, RFC 9207).
struct OpenIDCallback: Sendable {
    let redirectURI: String
    let responseMode: OpenIDAuthorizationRequest.ResponseMode
    let state: String?

    /// The client gets a code.
    func success(code: String, _ call: OpenIDCall) -> LocalResponse {
        response([("code", code)] + common(call, isError: false), call)
    }

    /// The client gets an error.
    func refusal(error: String, description: String, _ call: OpenIDCall) -> LocalResponse {
        response([("error", error), ("error_description", description)] + common(call, isError: true), call)
    }

    private func common(_ call: OpenIDCall, isError: Bool) -> [(String, String)] {
        var parameters: [(String, String)] = []
        if let state { parameters.append(("state", state)) }
        if !(isError && call.behaviour.has(.errorCallbackWithoutIssuer)) {
            parameters.append(("iss", call.backend.issuer(call.behaviour)))
        }
        if call.behaviour.has(.extraCallbackParameters) {
            parameters += [("session_state", "a.b+c/d="), ("ext", "ü & co")]
        }
        return parameters
    }

    private func response(_ parameters: [(String, String)], _ call: OpenIDCall) -> LocalResponse {
        var parameters = parameters
        for misbehaviour in call.behaviour.misbehaviours { spoil(&parameters, misbehaviour) }
        switch responseMode {
        case .query:
            let query = LocalRequest.encodeForm(parameters)
            var location = redirectURI + (redirectURI.contains("?") ? "&" : "?") + query
            if call.behaviour.has(.tokensInCallback) { location += "#access_token=leaked&token_type=Bearer" }
            return LocalResponse(
                status: 303, headers: [("Location", location), ("Cache-Control", "no-store")])
        case .formPost:
            if call.behaviour.has(.tokensInCallback) { parameters.append(("access_token", "leaked")) }
            return OpenIDPage.autoForm(action: redirectURI, parameters).response()
        }
    }

    private func spoil(
        _ parameters: inout [(String, String)], _ misbehaviour: LocalOpenIDConnectServer.Misbehaviour
    ) {
        func replace(_ name: String, with values: String...) {
            let place = parameters.firstIndex { $0.0 == name } ?? parameters.endIndex
            parameters.removeAll { $0.0 == name }
            parameters.insert(contentsOf: values.map { (name, $0) }, at: min(place, parameters.endIndex))
        }
        switch misbehaviour {
        case .wrongCallbackState: replace("state", with: "another-state")
        case .missingCallbackState: parameters.removeAll { $0.0 == "state" }
        case .repeatedCallbackState: replace("state", with: state ?? "", "another-state")
        case .wrongCallbackIssuer: replace("iss", with: OpenIDBehaviour.foreignIssuer)
        case .missingCallbackIssuer: parameters.removeAll { $0.0 == "iss" }
        case .missingCode: parameters.removeAll { $0.0 == "code" }
        case .repeatedCode: parameters.append(("code", "another-code"))
        case .codeAndError: parameters.append(("error", "access_denied"))
        default: break
        }
    }
}
