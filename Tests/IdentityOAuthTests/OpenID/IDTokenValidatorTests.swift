import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@Suite("ID token validation (OpenID Connect Core section 3.1.3.7)")
struct IDTokenValidatorTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let issuer = "https://id.example"
    private let key: TestKey
    private let validator: IDTokenValidator

    init() throws {
        key = try TestKey(.es256)
        validator = IDTokenValidator(issuer: issuer, clientID: "app")
    }

    /// Claims that pass; a `null` removes one.
    private func claims(_ changes: [String: JSONValue] = [:]) -> [String: JSONValue] {
        let base: [String: JSONValue] = [
            "iss": .string(issuer), "sub": "alice", "aud": "app", "exp": 1_800_000_600, "iat": 1_799_999_990,
            "nonce": "n",
        ]
        return base.merging(changes) { $1 }.filter { $0.value != .null }
    }

    private func validate(
        _ changes: [String: JSONValue] = [:], header: [String: JSONValue] = [:],
        expecting expectation: IDTokenExpectation = .nonce("n"), at now: Date = now
    ) throws -> IDToken {
        try validator.validate(
            key.sign(claims(changes), header: header), keys: key.keySet, expecting: expectation, at: now)
    }

    @Test("a right token tells who signed in")
    func success() throws {
        let token = try validate(["auth_time": 1_799_999_000, "acr": "urn:mfa", "email": "a@b.example"])
        #expect(token.issuer == issuer)
        #expect(token.subject == "alice")
        #expect(token.audience == ["app"])
        #expect(token.authenticatedAt == Date(timeIntervalSince1970: 1_799_999_000))
        #expect(token.claims["acr"] == "urn:mfa")
        #expect(token.claims["email"] == "a@b.example")
    }

    @Test(
        "each broken rule has its own code", .guards("nonce", "issuer and subject", "JWT audience"),
        arguments: [
            ("2", ["iss": .null], "id_token_iss_missing"),
            ("2", ["iss": "https://evil.example"], "id_token_iss_mismatch"),
            ("2", ["iss": "https://id.example/"], "id_token_iss_mismatch"),
            ("2", ["iss": "https://ID.example"], "id_token_iss_mismatch"),
            ("2", ["iss": 7], "id_token_malformed_claim"),
            ("3", ["aud": .null], "id_token_aud_missing"),
            ("3", ["aud": "other"], "id_token_aud_mismatch"),
            ("3", ["aud": ["other", "another"], "azp": "app"], "id_token_aud_mismatch"),
            ("3", ["aud": []], "id_token_malformed_claim"),
            ("3", ["aud": ["app", 7]], "id_token_malformed_claim"),
            ("4", ["aud": ["app", "api"]], "id_token_azp_missing"),
            ("5", ["aud": ["app", "api"], "azp": "other"], "id_token_azp_mismatch"),
            ("5", ["azp": "other"], "id_token_azp_mismatch"),
            ("9", ["exp": .null], "id_token_exp_missing"),
            ("9", ["exp": 1_799_999_940], "id_token_expired"),
            ("9", ["exp": "1800000600"], "id_token_malformed_claim"),
            ("9", ["exp": 1e300], "id_token_malformed_claim"), ("9", ["exp": -1e300], "id_token_malformed_claim"),
            ("10", ["iat": -1e22], "id_token_malformed_claim"), ("10", ["nbf": 1e22], "id_token_malformed_claim"),
            ("10", ["iat": .null], "id_token_iat_missing"),
            ("10", ["iat": 1_800_000_061], "id_token_iat_in_future"),
            ("10", ["iat": true], "id_token_malformed_claim"),
            ("RFC 7519 section 4.1.5", ["nbf": 1_800_000_061], "id_token_nbf_in_future"),
            ("11", ["nonce": .null], "id_token_nonce_missing"),
            ("11", ["nonce": "N"], "id_token_nonce_mismatch"),
            ("11", ["nonce": 1], "id_token_malformed_claim"),
            ("section 2", ["sub": .null], "id_token_sub_missing"),
            ("section 2", ["sub": ""], "id_token_sub_missing"),
            ("section 2", ["sub": .string(String(repeating: "x", count: 256))], "id_token_sub_missing"),
            ("section 2", ["sub": 42], "id_token_malformed_claim"),
        ] as [(String, [String: JSONValue], String)])
    func brokenRules(rule: String, changes: [String: JSONValue], code: String) {
        expectFailure(code) { try validate(changes) }
    }

    @Test(
        "what differs between servers and is right",
        arguments: [
            ["aud": ["app"]], ["aud": ["app"], "azp": "app"], ["aud": ["api", "app"], "azp": "app"], ["azp": "app"],
            ["exp": 1_800_000_600.5, "iat": 1_799_999_990.25, "auth_time": 1_799_999_990.75], ["exp": 1.8000006e9],
            ["exp": 1_799_999_941], ["iat": 1_800_000_060], ["nbf": 1_800_000_060], ["iat": 0],
            ["sub": .string(String(repeating: "x", count: 255))], ["amr": ["pwd"], "sid": "s", "x": .null],
            // Nobody asked for them.
            ["auth_time": 1e300], ["auth_time": "then"], ["acr": ["x"]],
        ] as [[String: JSONValue]])
    func accepted(changes: [String: JSONValue]) throws {
        #expect(try validate(changes).issuer == issuer)
    }

    @Test("rule 1, 6 to 8: the signature is checked before any claim", .guards("every signature", "issuer and subject"))
    func signatureFirst() throws {
        let forger = try TestKey(.es256)
        #expect(throws: OAuthError.invalidToken(.invalidSignature)) {
            try validator.validate(
                forger.sign(claims(["iss": "https://evil.example", "exp": 0])), keys: key.keySet,
                expecting: .nonce("n"), at: Self.now)
        }
        expectFailure("jwt_unaccepted_algorithm") { try validate(header: ["alg": "none"]) }
        expectFailure("jwt_unaccepted_algorithm") { try validate(header: ["alg": "HS256"]) }
        expectFailure("jwt_key_not_found") { try validate(header: ["kid": "other"]) }
        expectFailure("jwt_critical_extension") { try validate(header: ["crit": ["exp"]]) }
        expectFailure("jwt_nested") { try validate(header: ["cty": "JWT"]) }
    }

    @Test("rule 7: the algorithms the server announces narrow what is accepted")
    func announcedAlgorithms() throws {
        func validator(_ algorithms: JSONValue) throws -> IDTokenValidator {
            let members: [String: JSONValue] = [
                "issuer": .string(issuer), "id_token_signing_alg_values_supported": algorithms,
            ]
            return IDTokenValidator(
                metadata: try AuthorizationServerMetadata(members: members), clientID: "app")
        }
        #expect(try validator(["RS256", "ES256", "HS256", "none"]).verifier.allowedAlgorithms == [.rs256, .es256])
        #expect(try validator(.null).verifier.allowedAlgorithms == SigningAlgorithm.verifiable)
    }

    @Test("RFC 8725 section 3.11: an access token is not taken for an ID token", .guards("explicit types"))
    func wrongType() throws {
        for type in ["at+jwt", "AT+JWT", "application/at+jwt", "logout+jwt", "dpop+jwt"] {
            #expect(throws: OAuthError.invalidIDToken(.wrongType(type))) {
                try validate(header: ["typ": .string(type)])
            }
        }
        for type in ["JWT", "jwt", "application/jwt"] { _ = try validate(header: ["typ": .string(type)]) }
    }

    @Test(
        "RFC 8725 section 3.12: nothing else that the server signs with its key passes for an ID token, not even unnamed",
        .guards("kinds of JWT", "explicit types"),
        arguments: [
            // An access token (RFC 9068), for an API and for the client itself.
            (["aud": "https://api.example", "client_id": "app", "nonce": .null], nil, "id_token_aud_mismatch"),
            (["client_id": "app", "nonce": .null], nil, "id_token_nonce_missing"),
            (["client_id": "app"], "at+jwt", "id_token_wrong_type"),
            // User info (OpenID Connect Core section 5.3.2).
            (["exp": .null, "iat": .null, "nonce": .null, "name": "Alice"], nil, "id_token_exp_missing"),
            // An authorization response (JARM).
            (["sub": .null, "iat": .null, "nonce": .null, "code": "c", "state": "s"], nil, "id_token_sub_missing"),
            // A logout token (Back-Channel Logout section 2.4).
            (
                ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]], "nonce": .null], nil,
                "id_token_nonce_missing"
            ),
            (
                ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]], "logout+jwt",
                "id_token_wrong_type"
            ),
            // An assertion of a client (RFC 7523), a proof of possession (RFC 9449).
            (["iss": "app", "sub": "app", "aud": "https://id.example"], nil, "id_token_iss_mismatch"),
            (["htm": "POST", "htu": "https://id.example/token"], "dpop+jwt", "id_token_wrong_type"),
        ] as [([String: JSONValue], String?, String)])
    func otherKinds(changes: [String: JSONValue], type: String?, code: String) {
        expectFailure(code) { try validate(changes, header: type.map { ["typ": .string($0)] } ?? [:]) }
    }

    @Test(
        "section 3.1.3.6: at_hash may be missing, and not be wrong", .guards("access token injection"),
        arguments: SigningAlgorithm.verifiable)
    func hashes(algorithm: SigningAlgorithm) throws {
        let key = try TestKey(algorithm)
        let bits = Int(algorithm.rawValue.suffix(3)) ?? 512
        let function: HashAlgorithm = bits == 256 ? .sha256 : bits == 384 ? .sha384 : .sha512
        func half(_ text: String) -> JSONValue {
            let digest = function.hash(Data(text.utf8))
            return .string(Base64URL.encode(digest.prefix(digest.count / 2)))
        }
        var expectation = IDTokenExpectation.nonce("n")
        expectation.accessToken = "access"
        func validate(_ changes: [String: JSONValue]) throws -> IDToken {
            try validator.validate(
                key.sign(claims(changes)), keys: key.keySet, expecting: expectation, at: Self.now)
        }
        _ = try validate([:])
        _ = try validate(["at_hash": half("access")])
        expectFailure("id_token_at_hash_mismatch") { try validate(["at_hash": half("other")]) }
        expectFailure("id_token_at_hash_mismatch") { try validate(["at_hash": ""]) }
        expectFailure("id_token_malformed_claim") { try validate(["at_hash": 1]) }

        // The Kelvin sign is a K to Swift.
        let token = try #require((0...10_000).map { "\($0)" }.first { half($0).stringValue?.contains("K") == true })
        expectation.accessToken = Secret(token)
        let hash = try #require(half(token).stringValue)
        _ = try validate(["at_hash": .string(hash)])
        expectFailure("id_token_at_hash_mismatch") {
            try validate(["at_hash": .string(hash.replacing("K", with: "\u{212A}"))])
        }
    }

    @Test("section 3.1.3.6 names no hash for Ed25519: one of the family must fit", .guards("access token injection"))
    func openHash() throws {
        let key = try TestKey(.edDSA)
        var expectation = IDTokenExpectation.nonce("n")
        expectation.accessToken = "access"
        func validate(_ digest: Data) throws {
            let half = JSONValue.string(Base64URL.encode(digest.prefix(digest.count / 2)))
            _ = try validator.validate(
                key.sign(claims(["at_hash": half])), keys: key.keySet, expecting: expectation, at: Self.now)
        }
        for function in HashAlgorithm.allCases {
            try validate(function.hash(Data("access".utf8)))
            expectFailure("id_token_at_hash_mismatch") { try validate(function.hash(Data("other".utf8))) }
        }
        expectFailure("id_token_at_hash_mismatch") { try validate(sha1(Data("access".utf8))) }
    }

    @Test("rule 4: several audiences without azp are refused on purpose, and the message names them")
    func severalAudiences() throws {
        let error = #expect(throws: OAuthError.self) { try validate(["aud": ["app", "api\u{7}"]]) }
        #expect(error?.failureCode == "id_token_azp_missing")
        #expect(error?.message.contains("for app and api") == true)
        #expect(error?.message.contains("azp") == true)
        #expect(error?.message.contains("\u{7}") == false)
        _ = try validate(["aud": ["app", "api"], "azp": "app"])
    }

    @Test("OpenID Connect Core appendix A.3: the at_hash of a published token")
    func publishedHash() throws {
        var expectation = IDTokenExpectation.nonce("n")
        expectation.accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        _ = try validate(["at_hash": "77QmUPtjPfzWtF2AnpK9RQ"], expecting: expectation)
    }

    @Test("rule 13: a greatest age makes auth_time a duty")
    func maxAge() throws {
        var expectation = IDTokenExpectation.nonce("n")
        expectation.maxAge = 300
        expectFailure("id_token_auth_time_missing") { try validate(expecting: expectation) }
        expectFailure("id_token_malformed_claim") { try validate(["auth_time": "then"], expecting: expectation) }
        expectFailure("id_token_auth_time_too_old") {
            try validate(["auth_time": 1_799_999_639], expecting: expectation)
        }
        _ = try validate(["auth_time": 1_799_999_640], expecting: expectation)
    }

    @Test("rule 12, RFC 9470 section 5: asked-for classes make acr a duty")
    func authenticationContext() throws {
        var expectation = IDTokenExpectation.nonce("n")
        expectation.acceptedACRValues = ["urn:mfa", "urn:hw"]
        expectFailure("id_token_acr_missing") { try validate(expecting: expectation) }
        expectFailure("id_token_malformed_claim") { try validate(["acr": ["urn:hw"]], expecting: expectation) }
        expectFailure("id_token_acr_mismatch") { try validate(["acr": "urn:pwd"], expecting: expectation) }
        _ = try validate(["acr": "urn:hw"], expecting: expectation)
    }

    @Test("a step-up must be of the person who is signed in", .guards("issuer and subject"))
    func subject() throws {
        var expectation = IDTokenExpectation.nonce("n")
        expectation.subject = "bob"
        #expect(throws: OAuthError.invalidIDToken(.subjectMismatch)) { try validate(expecting: expectation) }
    }

    @Test("the expectation of a sign-in is what its request asked for")
    func signInExpectation() throws {
        var request = try AuthorizationRequest(
            client: OAuthClient(id: "app"), authorizationEndpoint: .known("https://id.example/authorize"),
            redirectURI: .known("myapp://callback"), scopes: ["openid"])
        request.options.maxAge = 60
        request.options.acrValues = ["urn:mfa"]
        let expectation = IDTokenExpectation.signIn(request.pending, accessToken: "a")
        #expect(expectation.nonce == request.nonce)
        #expect(expectation.maxAge == 60)
        #expect(expectation.acceptedACRValues == ["urn:mfa"])
        #expect(expectation.accessToken == "a")
    }

    @Test(
        "section 12.2: a refreshed token is of the same issuer, person, client and sign-in",
        arguments: [
            ([:], nil), (["nonce": "n"], nil), (["auth_time": .null], nil),
            (["aud": ["app", "api"], "azp": "app"], "id_token_azp_mismatch"), (["sub": "bob"], "id_token_sub_mismatch"),
            (["iss": "https://evil.example"], "id_token_iss_mismatch"), (["aud": "other"], "id_token_aud_mismatch"),
            (["auth_time": 1_799_999_999], "id_token_auth_time_mismatch"), (["nonce": "m"], "id_token_nonce_mismatch"),
            (["azp": "app"], "id_token_azp_mismatch"), (["iat": 1_800_000_100], "id_token_iat_in_future"),
        ] as [([String: JSONValue], String?)])
    func refresh(changes: [String: JSONValue], code: String?) throws {
        let previous = try key.sign(claims(["auth_time": 1_799_990_000, "exp": 1_799_990_600, "iat": 1_799_990_000]))
        let expectation = IDTokenExpectation.refresh(of: previous, accessToken: "a")
        let refreshed = ["nonce": .null, "auth_time": 1_799_990_000].merging(changes) { $1 }
        if let code {
            expectFailure(code) { try validate(refreshed, expecting: expectation) }
        } else {
            #expect(try validate(refreshed, expecting: expectation).subject == "alice")
        }
    }

    @Test("section 12.2: the old audience must be in the new one")
    func refreshAudience() throws {
        let previous = try key.sign(claims(["aud": ["app", "api"], "azp": "app"]))
        let expectation = IDTokenExpectation.refresh(of: previous, accessToken: "a")
        _ = try validate(["aud": ["api", "app", "x"], "azp": "app"], expecting: expectation)
        expectFailure("id_token_aud_mismatch") { try validate(["azp": "app"], expecting: expectation) }
    }

    @Test("an error about time tells both times, and absurd ones are none")
    func times() throws {
        let failure = #expect(throws: OAuthError.self) { try validate(["exp": 1_799_000_000]) }
        #expect(failure?.message.contains("2027-01-03T18:13:20Z") == true)
        #expect(failure?.message.contains("2027-01-15T08:00:00Z") == true)
        expectFailure("id_token_malformed_claim") { try validate(["iat": 1e300]) }
        expectFailure("id_token_malformed_claim") { try validate(["exp": 1e300]) }
    }

    @Test("a wrong clock of this machine is made up for by the offset learnt from the server")
    func clockOffset() throws {
        let wrongNow = Self.now - 7200
        #expect(throws: OAuthError.self) { try validate(at: wrongNow) }
        let offset = ClockOffset(serverDate: Self.now, sentAt: wrongNow, receivedAt: wrongNow)
        _ = try validate(at: offset.serverTime(at: wrongNow))
    }

    @Test("no code, nonce or token is in any description")
    func redaction() throws {
        var expectation = IDTokenExpectation.nonce("planted")
        expectation.accessToken = "planted"
        let failure = #expect(throws: OAuthError.self) { try validate(expecting: expectation) }
        #expect(failure.map { !"\($0) \($0.message)".contains("planted") } == true)
    }
}

extension IDTokenExpectation {
    /// A nonce and nothing else.
    static func nonce(_ nonce: String) -> IDTokenExpectation {
        var expectation = IDTokenExpectation()
        expectation.nonce = nonce
        return expectation
    }
}
