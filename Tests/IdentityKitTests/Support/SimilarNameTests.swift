import Testing

@testable import IdentityKit

@Suite struct SimilarNameTests {
    private static let names = ["issuer", "clientID", "clientSecret", "redirectURI", "scopes", "url"]

    @Test(
        "A misspelling is recognized, and another word is not",
        arguments: [
            ("isuer", "issuer"), ("issure", "issuer"), ("clientId", "clientID"), ("client_secret", "clientSecret"),
            ("redirectUri", "redirectURI"), ("scope", "scopes"), ("uri", "url"), ("audience", nil), ("", nil),
            ("name", nil),
        ] as [(String, String?)])
    func names(typed: String, meant: String?) {
        #expect(typed.similarName(in: Self.names) == meant)
    }

    @Test("A name is no misspelling of itself, and long ones are compared by their beginning")
    func bounds() {
        #expect("issuer".similarName(in: ["issuer"]) == nil)
        let long = String(repeating: "a", count: 100_000)
        #expect((long + "b").similarName(in: [long]) == long)
    }
}
