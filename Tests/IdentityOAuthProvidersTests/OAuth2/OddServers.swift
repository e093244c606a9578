import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// A server that differs from the RFCs, by one document or one report: a row of `Documentation/OddServers.md`.
struct OddServer: Sendable, CustomTestStringConvertible {
    /// How the local server plays it.
    enum Play: Sendable {
        /// Its token responses, or what it takes of PKCE and scopes.
        case tokens([Oddity])
        /// A request that it must have received.
        case request(@Sendable (RequestFormatTests.Seen) -> Bool)
        /// Its words for a dead refresh token are those of the settings.
        case words
        /// A sign-in on another device, which it wants and answers in its own words.
        case device
        /// Its authorization response is posted.
        case posted
    }

    enum Oddity: Sendable {
        case variation(LocalOpenIDConnectServer.Variation)
        case misbehaviour(LocalOpenIDConnectServer.Misbehaviour)
        case fault(LocalOpenIDConnectServer.TokenFault)
    }

    let shape: String
    /// The vendor or product that behaves so.
    let sender: String
    /// The vendor's document, or the report.
    let source: String
    /// Settings that read its responses; empty where none is needed.
    var settings: [String: JSONValue] = [:]
    /// The code of the failure without the settings.
    var refusal: String?
    let play: Play

    var testDescription: String { "\(sender): \(shape)" }

    /// The outcome, as the page says it.
    var outcome: String {
        let names = settings.flatMap { name, value in value.objectValue?.keys.map { "\(name).\($0)" } ?? [name] }
        let needed = names.sorted().map { "`\($0)`" }.joined(separator: " and ")
        let code = "`\(refusal ?? "")`"
        return switch play {
        case .tokens:
            settings.isEmpty
                ? "read as it is" : "read with \(needed); without, the sign-in fails with \(code)"
        case .request: "asked so with \(needed)"
        case .words:
            "the session ends with \(needed); without, calls fail with \(code), "
                + "and the same again suspends the session"
        case .device: "signs in with \(needed); without, the sign-in fails with \(code)"
        case .posted: "read with \(needed); without, the server refuses with \(code)"
        }
    }

    static let all = [
        OddServer(
            shape: "The tokens are in a member of the response, `authed_user`",
            sender: "Slack",
            source: "https://docs.slack.dev/reference/methods/oauth.v2.access",
            settings: ["tokenResponse": ["memberPath": "authed_user"]],
            refusal: "answer_token_elsewhere",
            play: .tokens([.variation(.nestedTokens)])),
        OddServer(
            shape: "`token_type` is a word of its own, such as `bot`",
            sender: "Slack",
            source: "https://docs.slack.dev/authentication/installing-with-oauth",
            settings: ["tokenResponse": ["assumesBearer": true]],
            refusal: "answer_unsupported_token_type",
            play: .tokens([.misbehaviour(.unknownTokenType)])),
        OddServer(
            shape: "No `token_type`",
            sender: "WeChat",
            source: "https://developers.weixin.qq.com/doc/oplatform/en/Website_App/WeChat_Login/Wechat_Login.html",
            settings: ["tokenResponse": ["assumesBearer": true]],
            refusal: "answer_missing_member",
            play: .tokens([.misbehaviour(.missingTokenType)])),
        OddServer(
            shape: "`scope` is a list",
            sender: "Twitch",
            source: "https://dev.twitch.tv/docs/authentication/getting-tokens-oidc",
            settings: ["tokenResponse": ["scopesAreList": true]],
            refusal: "answer_invalid_member",
            play: .tokens([.variation(.listedScopes)])),
        OddServer(
            shape: "A device asks for `scopes`, and waits while `message` is `authorization_pending`, with no `error`",
            sender: "Twitch",
            source: "https://github.com/twitchdev/issues/issues/975",
            settings: [
                "requestFormat": ["deviceScopeName": "scopes"],
                "tokenResponse": ["names": ["error": "message"], "scopesAreList": true],
            ],
            refusal: "expired_token",
            play: .device),
        OddServer(
            shape: "Commas between scopes, in requests and responses",
            sender: "Strava",
            source: "https://developers.strava.com/docs/authentication/",
            settings: ["scopeSeparator": ",", "tokenResponse": ["scopeSeparator": ","]],
            refusal: "invalid_scope",
            play: .tokens([.variation(.commaSeparatedScopes)])),
        OddServer(
            shape: "No PKCE, and a request with it is refused",
            sender: "LinkedIn",
            source: "https://github.com/teamhanko/hanko/pull/2405",
            settings: ["usesCodeChallenge": false],
            refusal: "metadata_missing_code_challenge_method",
            play: .tokens([.variation(.noCodeChallenge)])),
        OddServer(
            shape: "The response is a form",
            sender: "GitHub",
            source: "https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps",
            play: .tokens([.variation(.formEncodedTokens)])),
        OddServer(
            shape: "`refresh_token_expires_in` beside the lifetime of the access token",
            sender: "LinkedIn",
            source: "https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens",
            play: .tokens([.variation(.refreshTokenLifetime)])),
        OddServer(
            shape: "`expires_in` is a text",
            sender: "managed identities of Azure",
            source: "https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token",
            play: .tokens([.variation(.lifetimeAsText)])),
        OddServer(
            shape: "`expires_on`, a time as a text, in the place of `expires_in`",
            sender: "Azure App Service",
            source: "https://learn.microsoft.com/en-us/azure/app-service/overview-managed-identity",
            play: .tokens([.fault(.expiresOn)])),
        OddServer(
            shape: "No lifetime",
            sender: "Notion",
            source: "https://developers.notion.com/reference/create-a-token",
            play: .tokens([.variation(.noLifetime)])),
        OddServer(
            shape: "Members are called `accessToken` and `expiresIn`",
            sender: "AWS IAM Identity Center",
            source: "https://docs.aws.amazon.com/singlesignon/latest/OIDCAPIReference/API_CreateToken.html",
            play: .tokens([.fault(.camelCaseMembers)])),
        OddServer(
            shape: "The client identifier is called `client_key`",
            sender: "TikTok",
            source: "https://developers.tiktok.com/doc/oauth-user-access-token-management",
            settings: ["requestFormat": ["clientIDName": "client_key"]],
            play: .request { $0.page["client_key"] != nil && $0.page["client_id"] == nil }),
        OddServer(
            shape: "The token comes after the word `OAuth` where it is asked who signed in",
            sender: "Yandex ID",
            source: "https://yandex.com/dev/id/doc/en/user-information",
            settings: ["requestFormat": ["userInfoScheme": "OAuth"]],
            play: .request { $0.person?.header("Authorization") == "OAuth a" }),
        OddServer(
            shape: "Who signed in is told by POST alone",
            sender: "Dropbox",
            source: "https://www.dropbox.com/developers/documentation/http/documentation#users-get_current_account",
            settings: ["requestFormat": ["userInfoMethod": "POST"]],
            play: .request { $0.person?.method == "POST" }),
        OddServer(
            shape: "A dead refresh token is `bad_refresh_token`, with the status 200",
            sender: "GitHub",
            source: "https://github.com/interlink-hq/interLink/pull/262",
            settings: [
                "tokenResponse": [
                    "finalRefusals": [
                        [
                            "status": 200, "error": "bad_refresh_token",
                            "description": "The refresh token passed is incorrect or expired.",
                        ]
                    ]
                ]
            ],
            refusal: "bad_refresh_token",
            play: .words),
        OddServer(
            shape: "The response of a sign-in is posted, with name and e-mail address at the first one alone",
            sender: "Apple",
            source: "https://developer.apple.com/documentation/signinwithapple/"
                + "configuring-your-webpage-for-sign-in-with-apple",
            settings: ["responseMode": "form_post"],
            refusal: "invalid_request",
            play: .posted),
    ]
}
