import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing

/// A session with a real backend, repeated against the local one. It ran without an RSA key pair and without mail.
@Suite("InsForge recording", .stopsServers)
struct InsForgeReplayTests {
    private static let backend = "http://127.0.0.1:18303"
    private static let provider = "http://127.0.0.1:18399"

    /// What is not repeated, and why.
    private static let leftOut = [
        "/oauth2/clients": "The backend's client is registered at the OAuth provider, which is no part of InsForge."
    ]

    @Test("Every recorded request is answered as the real backend answered it")
    func replay() async throws {
        let server = try await LocalInsForgeServer.start(
            configuration: Self.configuration, time: ManualClock().timeSource
        ).untilTestEnds()
        var replay = Replay(servers: [
            Self.backend: server.url, Self.provider: server.url,
            Self.provider + "/oauth2/authorize": server.url.appendingPathComponent("fake-provider/authorize"),
        ])
        var count = 0
        for (index, recorded) in try Recording.load("insforge.api").enumerated() {
            guard !Self.leftOut.keys.contains(where: { recorded.request.url.hasSuffix($0) }) else { continue }
            let isVisit = recorded.request.url.hasPrefix(Self.provider)
            let local = try await replay.send(isVisit ? Self.visit(recorded) : recorded)
            let place: Comment = "exchange \(index): \(recorded.request.method) \(recorded.request.url)"
            #expect(local.status == recorded.response.status, place)
            #expect(Self.differences(in: local, from: recorded.response, replay.values) == [], place)
            if !isVisit { #expect(local.header("Content-Type") == recorded.response.headers["Content-Type"], place) }
            count += 1
        }
        #expect(count == 40)
    }

    /// The project as it was when the recording began: no user, no provider, no mail.
    private static var configuration: LocalInsForgeServer.Configuration {
        .init {
            $0.user.email = "nobody@example.org"
            $0.providerIdentity = .init(email: "alice@example.org", name: "alice")
            $0.anonKey = "anon_0123456789abcdef0123456789abcdef01234567"
            $0.accessTokenAlgorithm = .hs256
            $0.mailDelivery = .notConfigured
            $0.oAuthProviders = []
            $0.customOAuthProviders = []
        }
    }

    /// The recorded provider asked for a user name in a form; the fake one asks nothing.
    private static func visit(_ exchange: RecordedExchange) -> RecordedExchange {
        RecordedExchange(
            request: .init(method: "GET", url: exchange.request.url, headers: [:], body: nil),
            response: exchange.response)
    }

    /// Everything in which a local answer differs from the recorded one, ids, tokens and times aside.
    private static func differences(
        in local: LocalAnswer, from recorded: RecordedExchange.Response, _ values: RecordedValues
    ) -> [String] {
        let recordedBody = json(recorded.body ?? "")
        let body = json(local.body)
        // An error holds nothing that a server makes up, so it must be the same to the letter.
        let expectedBody = recorded.status >= 400 ? recordedBody : json(values.applied(to: recorded.body ?? ""))
        var differences = JSONShape(of: recordedBody).differences(in: JSONShape(of: body))
        if body != expectedBody || sentences(in: body) != sentences(in: recordedBody) {
            differences.append("the body is \(local.body)")
        }
        if recorded.headers["Set-Cookie"].map(cookieShape) != local.header("Set-Cookie").map(cookieShape) {
            differences.append("the cookie is \(local.header("Set-Cookie") ?? "missing")")
        }
        if recorded.headers["Location"].map(values.applied) != local.header("Location") {
            differences.append("the location is \(local.header("Location") ?? "missing")")
        }
        return differences
    }

    /// The texts in a document that are no ids, tokens or times: words and names.
    private static func sentences(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): text.count < 16 || text.contains(" ") && !text.contains("http") ? [text] : []
        case .array(let elements): elements.flatMap(sentences)
        case .object(let members): members.sorted { $0.key < $1.key }.flatMap { sentences(in: $0.value) }
        default: []
        }
    }

    /// A JSON document, or any other text as a string.
    private static func json(_ text: String) -> JSONValue {
        (try? JSONValue(parsing: Data(text.utf8))) ?? .string(text)
    }

    /// A cookie's name and attributes in order; of its value, and of an expiry that is not in the past, only that they
    /// are there.
    private static func cookieShape(_ cookie: String) -> [String] {
        cookie.components(separatedBy: "; ").enumerated().map { index, part in
            guard let equals = part.firstIndex(of: "=") else { return part }
            let (name, value) = (part[..<equals], part[part.index(after: equals)...])
            let isFree = index == 0 || (name == "Expires" && !value.hasSuffix("1970 00:00:00 GMT"))
            return isFree && !value.isEmpty ? "\(name)=…" : part
        }
    }
}
