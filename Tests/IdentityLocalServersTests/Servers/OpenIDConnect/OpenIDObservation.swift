import Foundation
import IdentityKit

@testable import IdentityTesting
@testable import IdentityLocalServers

/// Everything a client can see of a server during one session, as facts that are the same in every session with a
/// server that behaves the same: dates are relative, random text is not compared, addresses are cut.
struct OpenIDObservation: Sendable {
    private(set) var facts: [String: String] = [:]
    /// The parts of the session that could not be looked at, because an earlier one was unusable.
    private(set) var unreached: Set<String> = []
    /// The parts whose answer was no success with a JSON object; only the answer itself can be compared.
    private(set) var unreadable: Set<String> = []

    let server: LocalOpenIDConnectServer
    let client: PlainOpenIDClient
    let clock: ManualClock
    let key = ClientKey()
    private var keys: [JSONValue] = []
    /// How far the server's clock is off, as a client learns it from `Date`.
    private var clockError: TimeInterval = 0

    static let beginning = Date(timeIntervalSince1970: 1_800_000_000)

    /// The facts in which two sessions differ, among the parts that both have.
    func differences(from other: OpenIDObservation) -> Set<String> {
        let skipped = unreached.union(other.unreached)
        let closed = unreadable.union(other.unreadable)
        return Set(facts.keys).union(other.facts.keys).filter { name in
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            guard facts[name] != other.facts[name], !skipped.contains(parts[0]) else { return false }
            // Where there is no token at all, an answer lacks it, and that is a fact already.
            if parts[0] == "form", facts[name] == nil || other.facts[name] == nil { return false }
            return !closed.contains(parts[0]) || Self.answerFacts.contains(parts[1])
        }
    }

    private static let answerFacts: Set = [
        "status", "type", "size", "date", "nonce", "json", "entries", "error", "error_description", "scheme",
    ]

    /// Runs a session with a server that was told to be different by `change`.
    static func make(
        algorithm: LocalOpenIDConnectServer.SigningAlgorithm = .es256,
        _ change: (LocalOpenIDConnectServer) -> Void = { _ in }
    ) async throws -> OpenIDObservation {
        let clock = ManualClock(start: beginning)
        let server = try await LocalOpenIDConnectServer.start(
            configuration: .init {
                $0.signingAlgorithm = algorithm
                $0.allowsRegistration = true
            }, clock: clock)
        change(server)
        var observation = OpenIDObservation(server: server, client: PlainOpenIDClient(server), clock: clock)
        try await observation.look()
        await server.stop()
        return observation
    }

    private init(server: LocalOpenIDConnectServer, client: PlainOpenIDClient, clock: ManualClock) {
        (self.server, self.client, self.clock) = (server, client, clock)
    }

    private mutating func look() async throws {
        let discovery = try await client.get("/.well-known/openid-configuration")
        clockError = [-3600, 3600].first { HTTPDateText.format(clock.now + $0) == discovery.header("Date") } ?? 0
        note("discovery", discovery)
        note("metadata", try await client.get("/.well-known/oauth-authorization-server"))
        try await lookAtKeys()
        let callback = try await client.callback(["max_age": "600"])
        note(callback)
        let code = callback.parameter("code") ?? ""
        if code.isEmpty {
            unreached.formUnion(["token", "idToken", "userInfo", "refresh", "refreshedIDToken", "replay"])
        } else {
            try await lookAtTokens(code)
            let isTaken = try await answer("replay") { try await $0.client.redeem(code, headers: $0.proof()) }
            facts["replay.status"] = isTaken.map { String($0.status) }
        }
        try await lookAtOtherThings()
    }

    private mutating func lookAtKeys() async throws {
        let answer = try await client.get("/jwks")
        note("keys", answer)
        // Of two members with one name, the second is the genuine one.
        var genuine = answer.json
        if let first = answer.body.range(of: Data(#""keys":"none","#.utf8)) {
            facts["keys.keys"] = "repeated"
            genuine = try? JSONValue(parsing: answer.body[..<first.lowerBound] + answer.body[first.upperBound...])
        }
        keys = genuine?["keys"]?.arrayValue ?? []
        facts["keys.entries"] = keys.map { key in
            let words = ["kty", "use", "alg"].map { "\($0)=\(key[$0]?.stringValue ?? "")" }
            let isPadded = ["n", "x"].contains { key[$0]?.stringValue?.hasSuffix("=") == true }
            return words.joined(separator: " ") + (key["kid"] == nil ? "" : " kid") + (isPadded ? " padded" : "")
        }.joined(separator: ", ")
    }

    private mutating func note(_ callback: URL) {
        let parameters = LocalRequest.decodeForm(callback.query ?? "")
        facts["callback.names"] = parameters.map(\.name).sorted().joined(separator: " ")
        facts["callback.fragment"] = callback.fragment
        for parameter in parameters where parameter.name != "code" {
            facts["callback.\(parameter.name)", default: ""] += cut(parameter.value)
        }
    }

    private mutating func lookAtTokens(_ code: String) async throws {
        guard let first = try await answer("token", { try await $0.client.redeem(code, headers: $0.proof()) }) else {
            return unreached.formUnion(["idToken", "userInfo", "refresh", "refreshedIDToken"])
        }
        note("token", first)
        lookAtIDToken("idToken", in: first)
        if let access = first.last("access_token") {
            try await lookAtUserInfo(access, isBound: first["token_type"]?.lowercased() != "bearer")
        } else {
            unreached.insert("userInfo")
        }
        clock.advance(by: .seconds(30))
        guard let refresh = first["refresh_token"] else { return unreached.formUnion(["refresh", "refreshedIDToken"]) }
        let second = try await client.refresh(refresh, headers: proof())
        note("refresh", second)
        lookAtIDToken("refreshedIDToken", in: second)
    }

    private mutating func lookAtUserInfo(_ access: String, isBound: Bool) async throws {
        let headers =
            try isBound
            ? key.proof("GET", client.address("/userinfo"), at: clock.now + clockError, accessToken: access) : [:]
        let answer = try await client.get(
            "/userinfo", headers: headers.merging(["Authorization": "\(isBound ? "DPoP" : "Bearer") \(access)"]) { $1 })
        note("userInfo", answer)
        guard answer.header("Content-Type") == "application/jwt" else { return }
        unreadable.remove("userInfo")
        note("userInfo", token: answer.text, access: access)
    }

    private mutating func lookAtIDToken(_ stage: String, in answer: PlainOpenIDClient.Answer) {
        guard let json = answer.json, json.objectValue != nil else { return _ = unreached.insert(stage) }
        guard let text = json["id_token"]?.stringValue else { return _ = unreached.insert(stage) }
        note(stage, token: text, access: answer.last("access_token") ?? "")
    }

    private mutating func lookAtOtherThings() async throws {
        let service = try await answer("service") { session in
            try await session.client.post(
                "/token", ["grant_type": "client_credentials", "scope": "read write"],
                headers: session.client.serviceHeader)
        }
        if let service { note("service", service) }
        note("device", try await client.post("/device-authorization", ["client_id": "swift-app"]))
        try await lookAtRegistration()
        note("error", try await client.refresh("no such token"))
        let refused = try await client.get("/userinfo", headers: ["Authorization": "Bearer no-such-token"])
        note("challenge", refused)
        facts["challenge.scheme"] = refused.header("WWW-Authenticate")
        note("revocation", try await client.post("/revoke", ["client_id": "swift-app", "token": "no such token"]))
        let stranger = ScriptedLogin(username: "nobody", password: "nothing")
        let refusal = try await client.callback(["prompt": "none"], login: stranger)
        facts["refusal.names"] = LocalRequest.decodeForm(refusal.query ?? "").map(\.name).sorted()
            .joined(separator: " ")
    }

    private mutating func lookAtRegistration() async throws {
        let answer = try await client.register(["redirect_uris": ["com.example.app:/callback"]])
        facts["registration.status"] = String(answer.status)
        guard let members = answer.json?.objectValue else { return }
        facts["registration.names"] = members.keys.sorted().joined(separator: " ")
        for name in ["redirect_uris", "token_endpoint_auth_method", "error"] {
            facts["registration.\(name)"] = members[name].map { "\($0)" }
        }
        // What is registered is read under its own name.
        guard let address = members["registration_client_uri"]?.stringValue.flatMap(URL.init(string:)),
            let token = members["registration_access_token"]?.stringValue
        else { return }
        let read = try await client.get(
            address.path + "?" + (address.query ?? ""), headers: ["Authorization": "Bearer " + token])
        facts["registration.read"] = "\(read.status)"
        let name = address.query?.replacingOccurrences(of: "client_id=", with: "")
        facts["registration.name"] = read.json?["client_id"]?.stringValue == name ? "right" : "wrong"
    }

    /// An answer; `nil` when it never ends.
    private mutating func answer(
        _ stage: String, _ ask: (OpenIDObservation) async throws -> PlainOpenIDClient.Answer
    ) async throws -> PlainOpenIDClient.Answer? {
        do {
            return try await ask(self)
        } catch TransportError.responseTooLarge {
            unreached.insert(stage)
            facts["outcome.\(stage)"] = "endless"
            return nil
        }
    }

    private func proof() throws -> [String: String] {
        try key.proof("POST", client.address("/token"), at: clock.now + clockError)
    }
}

extension OpenIDObservation {
    /// The facts of any answer.
    private mutating func note(_ stage: String, _ answer: PlainOpenIDClient.Answer) {
        facts["\(stage).status"] = String(answer.status)
        facts["\(stage).type"] = answer.header("Content-Type") ?? "none"
        facts["\(stage).size"] = answer.body.count > 1 << 20 ? "large" : "small"
        facts["\(stage).date"] = HTTPDateText.format(clock.now) == answer.header("Date") ? "right" : "wrong"
        facts["\(stage).nonce"] = answer.header("DPoP-Nonce").map { _ in "given" }
        if answer.status != 200 { unreadable.insert(stage) }
        guard let members = answer.json?.objectValue else {
            facts["\(stage).json"] = "no object"
            unreadable.insert(stage)
            return
        }
        note(stage, members, written: answer.body)
    }

    /// The facts of a JWT.
    private mutating func note(_ stage: String, token: String, access: String) {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Substring($0) }
        let isPadded = token.utf8.contains(UInt8(ascii: "="))
        facts["form.\(stage)"] = "\(parts.count) parts" + (isPadded ? ", padded" : "")
        facts["form.\(stage).length"] = token.utf8.count > 1 << 20 ? "large" : "small"
        let texts = parts.compactMap { Base64URLText.decode($0) }
        let objects = texts.prefix(2).compactMap { try? JSONValue(parsing: $0).objectValue }
        guard texts.count == 3, objects.count == 2 else {
            facts["form.\(stage)"]? += texts.count == 3 ? ", no claims" : ""
            return _ = unreached.insert(stage)
        }
        note("\(stage).header", objects[0], written: texts[0])
        note(stage, objects[1], written: texts[1], access: access)
        facts["\(stage).signature"] = parts[2].isEmpty ? "empty" : signers(of: parts[0] + "." + parts[1], texts[2])
    }

    /// Which keys of the set signed a token. What its header says about the algorithm does not matter here.
    private func signers(of input: Substring, _ signature: Data) -> String {
        let message = Data(input.utf8)
        let algorithm = server.configuration.signingAlgorithm.rawValue
        let fitting = keys.filter { key in
            PublicJWK(unpadded(key))?.accepts(signature, over: message, algorithm: algorithm) ?? false
        }
        return fitting.isEmpty ? "wrong" : "right"
    }

    /// The key with its numbers as they should be written.
    private func unpadded(_ key: JSONValue) -> JSONValue {
        guard var members = key.objectValue else { return key }
        for name in ["n", "e", "x", "y"] {
            members[name] = members[name]?.stringValue.map { .string($0.replacingOccurrences(of: "=", with: "")) }
        }
        return .object(members)
    }

    private mutating func note(
        _ stage: String, _ members: [String: JSONValue], written text: Data, access: String = ""
    ) {
        let text = Data(text.prefix(1 << 14))
        for (name, value) in members where !(stage == "keys" && name == "keys") {
            let mark = Data("\"\(name)\":".utf8)
            let first = text.range(of: mark)
            let isRepeated = first.map { text.range(of: mark, in: $0.upperBound..<text.endIndex) != nil } ?? false
            facts["\(stage).\(name)"] = isRepeated ? "repeated" : describe(name, value, access: access)
        }
    }

    private func describe(_ name: String, _ value: JSONValue, access: String) -> String {
        switch name {
        case "access_token", "refresh_token", "id_token", "padding", "jwk", "device_code", "user_code",
            "verification_uri_complete":
            return "something"
        case "kid":
            return keys.contains { $0["kid"] == value } ? "published" : "unpublished"
        case "exp", "iat", "nbf", "auth_time":
            guard let number = value.numberValue else { return cut("\(value)") }
            return String(number - clock.now.timeIntervalSince1970)
        case "at_hash":
            let algorithm = server.configuration.signingAlgorithm
            return value.stringValue == OpenIDIDTokens.hash(access, algorithm) ? "right" : "wrong"
        default:
            return cut(String(decoding: LocalResponse.json(value).body, as: UTF8.self))
        }
    }

    private func cut(_ text: String) -> String {
        let host = server.url.absoluteString.dropFirst("http://".count)
        return text.replacingOccurrences(of: host, with: "<server>")
    }
}
