import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityLocalServers

/// Requests that a local server once handled unlike the real one, with what the real one returns.
///
/// Texts in braces are values of the run, such as `{access_token}`.
struct DifferenceCase: Decodable, Sendable {
    let about: String
    /// Whether the tokens are bound to a key.
    let bound: Bool?
    let steps: [Step]

    struct Step: Decodable, Sendable {
        /// Method and target.
        let send: String?
        /// The body of a call of the flow that the case has started.
        let flow: [String: JSONValue]?
        /// Changes of a valid authorization request.
        let authorize: [String: String]?
        /// The same, to be pushed.
        let pushes: [String: String]?
        /// A token request without its client.
        let token: [String: String]?
        let form: [String: String]?
        let json: JSONValue?
        let text: String?
        let headers: [String: String]?
        let proof: Proof?
        /// How often it is sent. The last response counts; `{number}` is the number of the request.
        let times: Int?
        /// Values of the response for later steps, by their JSON pointers.
        let keep: [String: String]?

        let status: Int
        /// Members of the response, by their JSON pointers.
        let has: [String: JSONValue]?
        let lacks: [String]?
        /// Header fields of the response.
        let shows: [String: String]?
        let hides: [String]?
        /// How the address of the redirection begins, and some of its parameters.
        let leadsTo: String?
        let parameters: [String: String]?
    }

    /// A DPoP proof for `GET /oauth2/userinfo` of now, with something changed.
    struct Proof: Decodable, Sendable {
        let method: String?
        let path: String?
        let seconds: Double?
        let isForeign: Bool?
        let id: String?
    }

    struct Servers: Decodable {
        let thunderid: [DifferenceCase]
        let insforge: [DifferenceCase]
        /// Differences that remain.
        let different: [[String: String]]
    }

    static func load() throws -> Servers {
        let file = PackageFolder.url.appendingPathComponent("Tests/Recordings/differences.json")
        return try JSONDecoder().decode(Servers.self, from: Data(contentsOf: file))
    }
}

/// Sends the requests of one case and compares the responses.
struct DifferenceRun {
    let about: String
    let base: URL
    var values: [String: String] = [:]
    /// A valid authorization request with changes.
    var authorization: ([String: String]) -> [(String, String)] = { _ in [] }
    var proof: (DifferenceCase.Proof) throws -> [String: String] = { _ in [:] }
    private var flow: [String: JSONValue] = [:]
    private let transport = DefaultTransport.make()

    init(_ about: String, at base: URL) {
        (self.about, self.base) = (about, base)
        values["base"] = base.absoluteString
    }

    mutating func run(_ steps: [DifferenceCase.Step]) async throws {
        for step in steps {
            var answer = LocalAnswer(status: 0, headers: [:], body: "")
            for number in 1...(step.times ?? 1) {
                values["number"] = String(number)
                answer = try await send(step)
            }
            for problem in problems(of: answer, step) { Issue.record("\(about): \(problem)") }
            for (name, path) in step.keep ?? [:] { values[name] = answer.json.value(at: path)?.stringValue }
            if let id = answer.json["executionId"] { flow["executionId"] = id }
            if let token = answer.json["challengeToken"] { flow["challengeToken"] = token }
        }
    }

    private func send(_ step: DifferenceCase.Step) async throws -> LocalAnswer {
        var (method, target) = ("POST", "/flow/execute")
        var form = step.form?.map { ($0, filled($1)) }
        var json = step.json
        if let send = step.send.map(filled)?.split(separator: " ", maxSplits: 1), send.count == 2 {
            (method, target) = (String(send[0]), String(send[1]))
        }
        if let members = step.flow {
            let start = members["flowType"] == nil ? flow : ["applicationId": "{app}"]
            json = .object(members.merging(start) { sent, _ in sent })
        }
        if let changes = step.authorize?.mapValues(filled) {
            (method, target) = ("GET", "/oauth2/authorize?" + Self.encoded(authorization(changes)))
        }
        if let changes = step.pushes?.mapValues(filled) { form = authorization(changes) }
        if let fields = step.token {
            target = "/oauth2/token"
            form = fields.map { ($0, filled($1)) } + [("client_id", values["client"] ?? "")]
        }
        let proof = try step.proof.map(proof) ?? [:]
        let headers = (step.headers ?? [:]).merging(proof) { $1 }.mapValues(filled)
        let url = try #require(URL(string: base.absoluteString + target))
        if step.text != nil { json = .null }
        var request = try URLRequest(method, url, headers: headers, form: form, json: json.map(filled))
        if let text = step.text { request.httpBody = Data(text.utf8) }
        return try await transport.answer(to: request)
    }

    private static func encoded(_ fields: [(String, String)]) -> String {
        LocalRequest.encodeForm(fields.map { (name: $0.0, value: $0.1) })
    }

    private func problems(of answer: LocalAnswer, _ step: DifferenceCase.Step) -> [String] {
        var problems = answer.status == step.status ? [] : ["the status is \(answer.status): \(answer.body)"]
        for (path, value) in step.has ?? [:] where answer.json.value(at: path) != filled(value) {
            problems.append("\(path) is \(answer.json.value(at: path).map { "\($0)" } ?? "missing")")
        }
        problems += (step.lacks ?? []).filter { answer.json.value(at: $0) != nil }.map { "\($0) is there" }
        for (name, value) in step.shows ?? [:] where answer.header(name) != value {
            problems.append("\(name) is \(answer.header(name) ?? "missing")")
        }
        problems += (step.hides ?? []).filter { answer.header($0) != nil }.map { "\($0) is there" }
        let location = answer.header("Location") ?? ""
        if let place = step.leadsTo.map(filled), location != place, !location.hasPrefix(place + "?") {
            problems.append("it leads to \(location)")
        }
        let parameters = answer.locationParameters
        for (name, value) in step.parameters ?? [:] where parameters[name] != filled(value) {
            problems.append("\(name) is \(parameters[name] ?? "missing") in the address")
        }
        return problems
    }

    private func filled(_ text: String) -> String {
        values.reduce(text) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
    }

    private func filled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(filled(text))
        case .array(let elements): .array(elements.map(filled))
        case .object(let members): .object(members.mapValues(filled))
        default: value
        }
    }
}

extension JSONValue {
    /// The member at a JSON pointer (RFC 6901).
    fileprivate func value(at path: String) -> JSONValue? {
        path.split(separator: "/").reduce(JSONValue?.some(self)) { value, name in
            guard let index = Int(name), let elements = value?.arrayValue else { return value?[String(name)] }
            return elements.indices.contains(index) ? elements[index] : nil
        }
    }
}
