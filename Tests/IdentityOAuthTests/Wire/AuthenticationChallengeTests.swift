import IdentityOAuth
import Testing

@Suite("Challenges (RFC 9110 section 11.6.1)")
struct AuthenticationChallengeTests {
    typealias Expected = [(scheme: String, parameters: [String: String])]

    @Test(
        "what a WWW-Authenticate header says",
        arguments: [
            ("Bearer", [("Bearer", [:])]),
            (
                #"Bearer realm="example", error="invalid_token""#,
                [("Bearer", ["realm": "example", "error": "invalid_token"])]
            ),
            (#"bearer Error = invalid_token ,scope="a b""#, [("bearer", ["error": "invalid_token", "scope": "a b"])]),
            (
                #"DPoP error="use_dpop_nonce", algs="ES256 PS256", Basic realm="x""#,
                [("DPoP", ["error": "use_dpop_nonce", "algs": "ES256 PS256"]), ("Basic", ["realm": "x"])]
            ),
            ("Basic, Bearer", [("Basic", [:]), ("Bearer", [:])]),
            (#"Negotiate YII/+==, Bearer error="x""#, [("Negotiate", [:]), ("Bearer", ["error": "x"])]),
            (#"Bearer realm="a, b \"c\" = d", error=e"#, [("Bearer", ["realm": #"a, b "c" = d"#, "error": "e"])]),
            (
                "Bearer error='invalid_token', scope='a b', x=it's, Basic realm='a, b'",
                [("Bearer", ["error": "invalid_token", "scope": "a b", "x": "it's"]), ("Basic", ["realm": "a, b"])]
            ),
            ("Bearer error='unfinished, x=y", [("Bearer", ["error": "'unfinished", "x": "y"])]),
            (#"error="invalid_token", error_description="no scheme""#, []),
            (#"error="x", Bearer error="y""#, [("Bearer", ["error": "y"])]),
            ("", []), (",,", []), ("=", []), ("\"Bearer\"", []),
            (#"Bearer error="unfinished"#, [("Bearer", [:])]),
        ] as [(String, Expected)])
    func parsing(header: String, expected: Expected) {
        let challenges = AuthenticationChallenge.parse(header)
        #expect(challenges.map(\.scheme) == expected.map(\.scheme))
        #expect(challenges.map(\.parameters) == expected.map(\.parameters))
    }
}
