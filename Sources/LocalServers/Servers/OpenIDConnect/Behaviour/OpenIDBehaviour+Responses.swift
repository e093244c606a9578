import Foundation
import IdentityKit

extension OpenIDBehaviour {
    /// The response of the endpoint at `path`, with the misbehaviour that is switched on.
    func rewritten(_ response: LocalResponse, at path: String) -> LocalResponse {
        // These rules are about successful responses.
        guard response.status == 200 else { return response }
        switch path {
        case OpenIDEndpoints.token: return misbehaviours.reduce(response) { token($1, $0) }
        case OpenIDEndpoints.openIDConfiguration, OpenIDEndpoints.authorizationServerMetadata:
            return misbehaviours.reduce(response) { discovery($1, $0) }
        case OpenIDEndpoints.keySet: return misbehaviours.reduce(response) { keySet($1, $0) }
        case OpenIDEndpoints.userInfo: return has(.userInfoIsHTML) ? Self.page : response
        default: return response
        }
    }

    private func token(
        _ misbehaviour: LocalOpenIDConnectServer.Misbehaviour, _ response: LocalResponse
    ) -> LocalResponse {
        switch misbehaviour {
        case .tokenEndpointRedirects: .moved(status: 307, to: "/elsewhere")
        case .tokenEndpointAnswersHTML: Self.page
        case .wrongTokenContentType: .text(String(decoding: response.body, as: UTF8.self))
        case .emptyTokenAnswer: LocalResponse(status: 200)
        case .brokenTokenJSON: response.withBody(response.body.prefix(response.body.count / 2))
        case .tokenAnswerIsArray: response.withBody(Data("[".utf8) + response.body + Data("]".utf8))
        case .duplicateTokenMembers: response.repeating("access_token", "another")
        case .oversizedTokenAnswer: response.padded
        case .endlessTokenAnswer: response.endless
        default: response
        }
    }

    private func discovery(
        _ misbehaviour: LocalOpenIDConnectServer.Misbehaviour, _ response: LocalResponse
    ) -> LocalResponse {
        switch misbehaviour {
        case .discoveryRedirects: .moved(status: 302, to: "/elsewhere")
        case .discoveryIsHTML: Self.page
        case .duplicateDiscoveryMembers: response.repeating("issuer", Self.foreignIssuer)
        case .oversizedDiscovery: response.padded
        default: response
        }
    }

    private func keySet(
        _ misbehaviour: LocalOpenIDConnectServer.Misbehaviour, _ response: LocalResponse
    ) -> LocalResponse {
        switch misbehaviour {
        case .keySetRedirects: .moved(status: 302, to: "/elsewhere")
        case .keySetIsHTML: Self.page
        case .duplicateKeySetMembers: response.repeating("keys", "none")
        case .oversizedKeySet: response.padded
        default: response
        }
    }

    private static let page = OpenIDPage.message("Welcome", "There is nothing here for a program.").response()
}

extension LocalResponse {
    fileprivate static func moved(status: Int, to location: String) -> LocalResponse {
        LocalResponse(status: status, headers: [("Location", location)])
    }

    fileprivate func withBody(_ body: Data) -> LocalResponse {
        LocalResponse(status: status, headers: headers, body: body)
    }

    /// The same object with one more member, in front, of a name it already has.
    fileprivate func repeating(_ name: String, _ value: String) -> LocalResponse {
        withBody(Data(#"{"\#(name)":"\#(value)","#.utf8) + body.dropFirst())
    }

    /// Still the same JSON, ten megabytes of blanks later.
    fileprivate var padded: LocalResponse {
        withBody(body + Data(repeating: UInt8(ascii: " "), count: 10 << 20))
    }

    /// A body that never ends.
    fileprivate var endless: LocalResponse {
        var response = withBody(Data(repeating: UInt8(ascii: " "), count: 1 << 14))
        response.isEndless = true
        return response
    }
}
