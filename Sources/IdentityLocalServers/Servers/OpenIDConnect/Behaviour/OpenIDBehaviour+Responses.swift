import Foundation
import IdentityKit

extension OpenIDBehaviour {
    private typealias Rules = [LocalOpenIDConnectServer.Misbehaviour: @Sendable (LocalResponse) -> LocalResponse]

    func rewritten(_ response: LocalResponse, at path: String, isRefresh: Bool) -> LocalResponse {
        if path == OpenIDEndpoints.registration, response.status == 201 {
            return rewritten(response, Self.registrationRules)
        }
        // All other rules change only responses with the status 200. With `errorsWithStatusOK`, an error of the token endpoint
        // gets the status 200. Such an error can be encoded as a form, but `tokenRules` and `tokenFaultRules` do not change it.
        guard response.status == 200 else {
            guard has(.errorsWithStatusOK), path == OpenIDEndpoints.token else { return response }
            let success = LocalResponse(status: 200, headers: response.headers, body: response.body)
            return inOtherForm(isRefresh: isRefresh, success)
        }
        return switch path {
        case OpenIDEndpoints.token:
            tokenFaults.reduce(inOtherForm(isRefresh: isRefresh, rewritten(response, Self.tokenRules))) {
                Self.tokenFaultRules[$1]?($0) ?? $0
            }
        case OpenIDEndpoints.openIDConfiguration, OpenIDEndpoints.authorizationServerMetadata:
            rewritten(response, Self.discoveryRules)
        case OpenIDEndpoints.keySet: rewritten(response, Self.keySetRules)
        case OpenIDEndpoints.notesMetadata: resource.reduce(response) { Self.resourceRules[$1]?($0) ?? $0 }
        case OpenIDEndpoints.userInfo: has(.userInfoIsHTML) ? Self.page : response
        default: response
        }
    }

    /// Returns the token response as the variations demand: nested in `authed_user`, or encoded as a form. An error is never
    /// nested; if nesting is demanded, the error is encoded as a form.
    private func inOtherForm(isRefresh: Bool, _ response: LocalResponse) -> LocalResponse {
        let isNested = has(.nestedTokens) && !(isRefresh && has(.flatRefresh))
        guard isNested || has(.formEncodedTokens), let members = try? JSONValue(parsing: response.body) else {
            return response
        }
        if isNested, members["error"] == nil { return .uncachedJSON(["ok": true, "authed_user": members]) }
        return response.asForm
    }

    private func rewritten(_ response: LocalResponse, _ rules: Rules) -> LocalResponse {
        misbehaviours.reduce(response) { rules[$1]?($0) ?? $0 }
    }

    private static let tokenRules: Rules = [
        .tokenEndpointRedirects: { _ in .moved(status: 307) },
        .tokenEndpointAnswersHTML: { _ in page },
        .emptyTokenAnswer: { _ in LocalResponse(status: 200) },
        .brokenTokenJSON: { $0.withBody($0.body.prefix($0.body.count / 2)) },
        .tokenAnswerIsArray: { $0.withBody(Data("[".utf8) + $0.body + Data("]".utf8)) },
        .duplicateTokenMembers: { $0.repeating("access_token", "another") },
        .oversizedTokenAnswer: { $0.padded },
        .endlessTokenAnswer: { $0.endless },
    ]

    private static let tokenFaultRules:
        [LocalOpenIDConnectServer.TokenFault: @Sendable (LocalResponse) -> LocalResponse] = [
            .labelledAsPage: { $0.labelled("text/html; charset=utf-8") },
            .labelledAsText: { $0.labelled("text/plain") },
            .unlabelled: { $0.labelled(nil) },
            .formAsText: { $0.asForm.labelled("text/plain") },
            .camelCaseMembers: { $0.inCamelCase },
            .created: { LocalResponse(status: 201, headers: $0.headers, body: $0.body) },
            .byteOrderMark: { $0.withBody(Data([0xEF, 0xBB, 0xBF]) + $0.body) },
            .repeatedAccessToken: { $0.repeating("access_token", "another") },
            .repeatedLifetime: { $0.repeating("expires_in", "1") },
        ]

    private static let discoveryRules: Rules = [
        .discoveryRedirects: { _ in .moved(status: 302) },
        .discoveryIsHTML: { _ in page },
        .duplicateDiscoveryMembers: { $0.repeating("issuer", foreignIssuer) },
        .oversizedDiscovery: { $0.padded },
    ]

    private static let registrationRules: Rules = [
        .registrationRedirects: { _ in .moved(status: 307) },
        .registrationIsHTML: { _ in page },
    ]

    private static let keySetRules: Rules = [
        .keySetRedirects: { _ in .moved(status: 302) },
        .keySetIsHTML: { _ in page },
        .duplicateKeySetMembers: { $0.repeating("keys", "none") },
        .oversizedKeySet: { $0.padded },
    ]

    private static let resourceRules:
        [LocalOpenIDConnectServer.ResourceMisbehaviour: @Sendable (LocalResponse) -> LocalResponse] = [
            .resourceMetadataIsHTML: { _ in page },
            .resourceMetadataRedirects: { _ in .moved(status: 302) },
            .resourceNamedTwice: { $0.repeating("resource", foreignIssuer) },
            .resourceMetadataOversized: { $0.padded },
        ]

    private static let page = OpenIDPage.message("Welcome", "There is nothing here for a program.").response()
}

extension LocalResponse {
    fileprivate static func moved(status: Int) -> LocalResponse {
        LocalResponse(status: status, headers: [("Location", "/elsewhere")])
    }

    private var members: [String: JSONValue] { (try? JSONValue(parsing: body))?.objectValue ?? [:] }

    /// The response with the members of its JSON object encoded as a form. A member that is neither a string nor an integer
    /// becomes empty.
    fileprivate var asForm: LocalResponse {
        let fields = members.sorted { $0.key < $1.key }.map { name, value in
            (name: name, value: value.stringValue ?? value.integerValue.map(String.init) ?? "")
        }
        return LocalResponse(status: status, headers: headers, body: Data(LocalRequest.encodeForm(fields).utf8))
            .labelled("application/x-www-form-urlencoded; charset=utf-8")
    }

    /// A JSON response with the same members, but with names in camel case, such as `accessToken`.
    fileprivate var inCamelCase: LocalResponse {
        let renamed = members.map { name, value in
            let words = name.split(separator: "_")
            return (words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.capitalized }, value)
        }
        return .uncachedJSON(.object(Dictionary(renamed) { first, _ in first }))
    }

    fileprivate func labelled(_ contentType: String?) -> LocalResponse {
        let others = headers.filter { $0.name.lowercased() != "content-type" }
        return LocalResponse(
            status: status, headers: (contentType.map { [("Content-Type", $0)] } ?? []) + others, body: body)
    }

    fileprivate func withBody(_ body: Data) -> LocalResponse {
        LocalResponse(status: status, headers: headers, body: body)
    }

    /// Returns the response with an additional first member in its JSON object. If the object already has a member of this
    /// name, the name then occurs twice.
    fileprivate func repeating(_ name: String, _ value: String) -> LocalResponse {
        withBody(Data(#"{"\#(name)":"\#(value)","#.utf8) + body.dropFirst())
    }

    /// The response with 10 MiB of spaces added at the end. JSON stays valid.
    fileprivate var padded: LocalResponse { withBody(body + Data(repeating: UInt8(ascii: " "), count: 10 << 20)) }

    /// The response with an endless sequence of spaces as its body.
    fileprivate var endless: LocalResponse {
        var response = withBody(Data(repeating: UInt8(ascii: " "), count: 1 << 14))
        response.isEndless = true
        return response
    }
}
