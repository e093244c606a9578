import Foundation
import Testing

/// The list of contract section 8: what makes the local InsForge server faithful, point by point, and the tests that prove
/// each. A test that is renamed or removed is missed here.
@Suite struct InsForgeChecklistTests {
    /// A point of the contract.
    struct Point: Sendable, CustomStringConvertible {
        let number: Int
        let statement: String
        /// The names of its tests.
        let tests: [String]

        var description: String { "\(number). \(statement)" }
    }

    static let points = [
        Point(
            number: 1, statement: "Credentials are told apart by shape; x-api-key beats the bearer",
            tests: [
                "Sign-up takes the anonymous key, the API key, or a JWT",
                "Sign-up refuses everything else, each shape in its own words",
                "The current session takes a JWT alone, and of a user alone",
                "Administration takes the API key or an administrator, and tells users from strangers",
                "A public route ignores the credential, however bad",
                "A new anonymous key works at once, the old one for as long as the administrator says",
            ]),
        Point(
            number: 2, statement: "client_type chooses the delivery; absent fields are left out",
            tests: [
                "Mobile, desktop and server clients get the refresh token in the body",
                "Every other client type is a browser", "Forgetting client_type looks for a cookie",
            ]),
        Point(
            number: 3, statement: "RS256 access tokens with exactly the contract's claims; both JWKS paths; HS256",
            tests: [
                "An access token has exactly the contract's claims, for 15 minutes, and names a published key",
                "Without a key pair access tokens are signed with the secret, and no key is published",
                "Access tokens of one user within one second are identical",
                "An administrator's access token carries no address",
            ]),
        Point(
            number: 4, statement: "Stateless refresh tokens, whose nonce is carried through; a strict mode",
            tests: [
                "A refresh token says whose session it continues, for 7 days",
                "A refresh token works again and again, under either spelling of its field",
                "Within one second a refresh returns the same refresh token, later another one with the same nonce",
                "A session slides: it lives while it is refreshed every seven days, and each token only seven days",
                "In the strict mode a refresh token works once, and no two are alike",
            ]),
        Point(
            number: 5, statement: "The CSRF formula; 403 leaves the cookie, 401 clears it",
            tests: [
                "The CSRF token is the keyed digest of session type, subject and nonce",
                "A browser refreshes with its cookie and a CSRF token that stays the same",
                "A wrong CSRF token is refused and leaves the cookie; a dead session loses it",
                "Logging out a browser wants the CSRF token of a valid session and nothing of an invalid one",
            ]),
        Point(
            number: 6, statement: "The answers of a sign-up and what each leaves behind",
            tests: [
                "Sign-up opens a session, lowercases the address and trims the name",
                "With verification required there is no user and no session, only a mail",
                "An administrator gets an access token and nothing to keep, past a closed sign-up",
                "When the mail cannot be sent the user exists nevertheless",
                "A mail server of one's own wants a minute between two mails, the sign-up's among them",
            ]),
        Point(
            number: 7, statement: "One 401 for three reasons; verification is asked for after the password",
            tests: ["Wrong password, unknown address and no password look the same"]),
        Point(
            number: 8, statement: "OAuth init: parameters, state, and what is refused in which order",
            tests: [
                "The address has the server's parameters and hands the app's others on",
                "Init checks provider, query, allow list and configuration in this order",
                "Only the custom callback compares the provider with the state's",
                "Without a good state there is nowhere to go, and the browser shows an error",
            ]),
        Point(
            number: 9, statement: "Redirects are rewritten as browsers' addresses are, with form encoding",
            tests: [
                "A refusal at the provider reaches the app as a text, form-encoded",
                "A closed sign-up reaches the app as a text",
            ]),
        Point(
            number: 10, statement: "Exchange: five minutes, one attempt, the order of checks",
            tests: [
                "A sign-in ends with a code in the app's address, which the verifier exchanges once",
                "A wrong verifier burns the code", "A malformed request burns nothing",
                "A code lives 5 minutes, and expiry is seen before the verifier", "The user must still exist",
                "An exchange whose answer is lost has used the code up",
            ]),
        Point(
            number: 11, statement: "The allow list: exact entries, globs, and an empty list",
            tests: [
                "An empty list allows everything",
                "An exact entry matches the normalised address with its query and fragment",
                "A glob stays within a path segment unless it is a double one",
                "A redirect that is no longer allowed is not followed",
            ]),
        Point(
            number: 12, statement: "Codes: lifetimes, attempts, replacement, purposes, shared error texts",
            tests: [
                "A right code verifies the address and opens a session, once",
                "The third wrong attempt uses the code up", "A code lives 15 minutes",
                "Sending again replaces the code and forgives the attempts",
                "A code of one purpose is worth nothing for another",
                "A link's token is no code, and a code is no link's token",
                "A mailed code signs an unknown address up, verified and without a password",
                "A mailed code lives 5 minutes", "It takes the password from a user who never proved the address",
                "With sign-up closed the code of an unknown address is used up for nothing",
            ]),
        Point(
            number: 13, statement: "Mailed links and their outcomes; a reset link uses nothing up",
            tests: [
                "A link verifies the address, leads to the app with the outcome, and opens no session",
                "An expired link leads to the app, too", "Where nothing can be led to, the browser shows an error",
                "A reset link hands the token on and uses nothing up",
                "A reset code is exchanged for a token, which sets the password once and ends no session",
            ]),
        Point(
            number: 14, statement: "Profiles are merged at the top level and public",
            tests: [
                "Members are merged at the top level, replaced below it, and kept when null",
                "The profile must be wrapped, and the caller a user", "A profile is found by its user's UUID",
            ]),
        Point(
            number: 15, statement: "Error bodies, texts of the validation, malformed JSON",
            tests: [
                "Complaints", "A body that is not JSON is refused before anything else",
                "Sign-up complains about the name and the redirect, and ignores what it does not know",
                "The password policy names everything it asks for",
                "Every recorded request is answered as the real backend answered it",
            ]),
        Point(
            number: 16, statement: "Rate limits with and without headers, the interval of mails, a switch, a clock",
            tests: [
                "Five mails in 15 minutes for each IP address, told by headers; the sixth is told when to come back",
                "The three calls that mail share one bucket and one cooldown for each address, which has no header",
                "A request that is malformed counts, too",
                "Ten failed attempts with a code for each IP address, whatever the code is for; successes are free",
                "Thirty native sign-ins for each IP address, good or bad",
                "A mail server of one's own wants a minute between two mails, the sign-up's among them",
                "The limits can be switched off",
            ]),
        Point(
            number: 17, statement: "Other servers: fields, callbacks, pages, algorithms, and failures",
            tests: [
                "A server of before March 2026 reads the older spelling alone",
                "A server of before January 2026 puts tokens into the address",
                "A server of before March 2026 hosts a page, which hands over a code or, still earlier, tokens",
                "Without a key pair access tokens are signed with the secret, and no key is published",
                "An unknown path or method is a JSON 404, or a page where the dashboard is served",
                "A server of before June 2026 wants no credential, and old user objects have no providers",
                "A profile may hold anything, under any name",
                "Within one second a refresh returns the same refresh token, later another one with the same nonce",
                "An exchange whose answer is lost has used the code up",
                "A refresh can fail without having happened",
            ]),
    ]

    @Test("Each point has its tests", arguments: points)
    func proven(point: Point) throws {
        let sources = try Self.sources()
        #expect(!point.tests.isEmpty)
        for test in point.tests { #expect(sources.contains("\"\(test)\""), "There is no test \"\(test)\"") }
    }

    @Test("No point is missing")
    func complete() {
        #expect(Self.points.map(\.number) == Array(1...17))
    }

    /// The other tests of this folder.
    private static func sources() throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "swift" && $0.path != #filePath }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    }
}
