import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing

@Suite("Sessions recorded with a real ThunderID server", .stopsServers)
struct ThunderIDReplayTests {
    private static let recordedServer = "http://127.0.0.1:18207"

    @Test("The native and self-service session gives the same answers")
    func nativeSession() async throws {
        try await replay("thunderid.api", user: .recorded)
    }

    @Test("The OpenID Connect session gives the same answers")
    func openIDConnectSession() async throws {
        // It was recorded after the other one, whose PUT left these attributes.
        var user = LocalThunderIDServer.User.recorded
        user.attributes = ["email": "alice@example.org", "given_name": "Alicia"]
        try await replay("thunderid.oidc", user: user)
    }

    private func replay(_ name: String, user: LocalThunderIDServer.User) async throws {
        let server = try await LocalThunderIDServer.start(
            configuration: .init(application: .recorded, user: user), clock: ManualClock()
        ).untilTestEnds()
        var replay = Replay(servers: [Self.recordedServer: server.url])
        for (index, exchange) in try Recording.load(name).enumerated() {
            let earlierValues = replay.values
            let answer = try await replay.send(exchange)
            let differences = AnswerComparison(recorded: exchange.response, local: answer, values: earlierValues)
                .differences
            #expect(
                differences.isEmpty,
                "\(name) \(index): \(exchange.request.method) \(exchange.request.url.prefix(120))")
        }
    }
}

extension LocalThunderIDServer.Application {
    /// The application of the recorded sessions.
    fileprivate static let recorded = LocalThunderIDServer.Application(
        id: "01900000-0000-7000-8000-0000000000a1", clientID: "swift-native",
        redirectURIs: ["http://127.0.0.1:9999/callback"],
        postLogoutRedirectURIs: ["http://127.0.0.1:9999/loggedout"])
}

extension LocalThunderIDServer.User {
    /// The user of the recorded sessions.
    fileprivate static let recorded = LocalThunderIDServer.User(
        id: "01900000-0000-7000-8000-0000000000b1", username: "alice", password: "Correct-h0rse!",
        attributes: [
            "email": "alice@example.org", "given_name": "Alice", "family_name": "Doe", "name": "Alice Doe",
            "sub": "alice",
        ])
}

/// How a local answer differs from the recorded one.
///
/// Documents are compared by shape, errors and addresses by content: a client may depend on those.
private struct AnswerComparison {
    let recorded: RecordedExchange.Response
    let local: LocalAnswer
    /// What was known before this exchange.
    let values: RecordedValues

    /// What only the local transport adds, and headers the recorder did not keep.
    private static let unrecordedHeaders: Set = ["content-length", "connection", "x-frame-options", "date"]
    /// Query parameters that are made anew each time.
    private static let freshParameters: Set = ["authId", "executionId", "logoutId", "code"]

    var differences: [String] {
        var differences = headerDifferences + bodyDifferences
        if recorded.status != local.status {
            differences.append("status is \(local.status) instead of \(recorded.status)")
        }
        return differences
    }

    private var headerDifferences: [String] {
        let expected = Set(recorded.headers.keys.map { $0.lowercased() })
        let actual = Set(local.headers.keys.map { $0.lowercased() }).subtracting(Self.unrecordedHeaders)
        let names = expected.symmetricDifference(actual).map { "header \($0) is only on one side" }
        let contents = ["Content-Type", "Cache-Control", "Pragma", "WWW-Authenticate"].filter {
            recordedHeader($0) != local.header($0)
        }.map { "header \($0) is \(local.header($0) ?? "absent")" }
        return names + contents + addressDifferences(recordedHeader("Location"), local.header("Location"))
    }

    private func recordedHeader(_ name: String) -> String? {
        recorded.headers.first { $0.key.caseInsensitiveCompare(name) == .orderedSame }?.value
    }

    private var bodyDifferences: [String] {
        let text = recorded.body ?? ""
        guard let expected = try? JSONValue(parsing: Data(text.utf8)),
            let actual = try? JSONValue(parsing: Data(local.body.utf8))
        else { return plainBodyDifferences(text) }
        let isError = recorded.status >= 400
        let contents = (isError ? expected == actual : expected["error"] == actual["error"]) ? [] : ["error differs"]
        return JSONShape(of: expected).differences(in: JSONShape(of: actual)).filter(isDifference) + contents
            + addressDifferences(expected["redirect_uri"]?.stringValue, actual["redirect_uri"]?.stringValue)
    }

    /// The recording keeps the texts of some flows; a server has those of all.
    private func isDifference(_ difference: String) -> Bool {
        !(difference.hasPrefix("$.i18n.translations.") && difference.hasSuffix("is not expected"))
    }

    /// A redirect's page repeats the address; every other text is fixed.
    private func plainBodyDifferences(_ text: String) -> [String] {
        if let location = local.header("Location") {
            let escaped = location.replacingOccurrences(of: "&", with: "&amp;")
            return local.body.contains("<a href=\"\(escaped)\">") ? [] : ["the page does not lead to the address"]
        }
        return text == local.body ? [] : ["body is \(local.body)"]
    }

    private func addressDifferences(_ expected: String?, _ actual: String?) -> [String] {
        guard let expected, let actual else { return expected == actual ? [] : ["an address is only on one side"] }
        let (expectedParts, actualParts) = (parts(of: values.applied(to: expected)), parts(of: actual))
        return expectedParts == actualParts ? [] : ["address is \(actualParts) instead of \(expectedParts)"]
    }

    /// The address before its query, and each parameter; of the fresh ones only the name.
    private func parts(of address: String) -> [String] {
        address.split(separator: "?", maxSplits: 1).enumerated().flatMap { index, part in
            guard index == 1 else { return [String(part)] }
            return part.split(separator: "&").map { parameter in
                let name = String(parameter.prefix { $0 != "=" })
                return Self.freshParameters.contains(name) ? name : String(parameter)
            }
        }
    }
}
