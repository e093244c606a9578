import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer of a server, as an input describes one:
///
/// ```text
/// token 200
/// Content-Type: application/json
///
/// {"access_token": …
/// ```
///
/// The first word says what was asked. Without a blank line the rest is the body, and the header fields are the usual
/// ones.
struct HTTPAnswer {
    /// What was asked.
    let question: String
    let response: HTTPURLResponse
    let body: Data

    init?(_ input: FuzzInput) {
        let (line, rest) = input.parts
        let end = line.utf8.firstIndex(of: UInt8(ascii: " ")) ?? line.endIndex
        question = String(line[..<end])
        let status = Int(line[end...].dropFirst()).flatMap { 100..<600 ~= $0 ? $0 : nil } ?? 200
        if rest.data.first != UInt8(ascii: "{"), let end = rest.data.range(of: Self.blankLine) {
            guard let response = Self.response(status, fields: Data(rest.data[..<end.lowerBound])) else { return nil }
            self.response = response
            body = Data(rest.data[end.upperBound...])
        } else {
            guard let response = Self.response(status, fields: Data()) else { return nil }
            self.response = response
            body = rest.data
        }
    }

    private static let url = made { try page("https://id.example.com/oauth2/token") }
    private static let blankLine = Data("\n\n".utf8)

    /// A response takes longer to make than most bodies to read, and most inputs share theirs with another one.
    private static func response(_ status: Int, fields: Data) -> HTTPURLResponse? {
        let head = Head(status: status, fields: fields)
        if let known = responses[head] { return known }
        if responses.count == 1024 { responses = [:] }
        var members = ["Content-Type": "application/json"]
        for field in String(decoding: fields, as: UTF8.self).split(separator: "\n") {
            let pair = field.split(separator: ":", maxSplits: 1)
            guard pair.count == 2, !pair[0].isEmpty else { continue }
            members[String(pair[0])] = String(pair[1].drop { $0 == " " })
        }
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: members)
        responses[head] = response
        return response
    }

    private struct Head: Hashable {
        let status: Int
        let fields: Data
    }

    // Sound: the fuzzer gives its inputs one after the other.
    private nonisolated(unsafe) static var responses: [Head: HTTPURLResponse] = [:]
}
