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

    private static let url = made { try page("https://id.example.com/oauth2/token") }

    init?(_ input: FuzzInput) {
        let (line, rest) = input.parts
        let words = line.split(separator: " ", maxSplits: 1)
        question = words.first.map(String.init) ?? ""
        let status = words.last.flatMap { Int($0) }.flatMap { 100..<600 ~= $0 ? $0 : nil }
        var fields = ["Content-Type": "application/json"]
        if let end = rest.data.range(of: Data("\n\n".utf8)), rest.data.first != UInt8(ascii: "{") {
            for field in String(decoding: rest.data[..<end.lowerBound], as: UTF8.self).split(separator: "\n") {
                let pair = field.split(separator: ":", maxSplits: 1)
                guard pair.count == 2, !pair[0].isEmpty else { continue }
                fields[String(pair[0])] = String(pair[1].drop { $0 == " " })
            }
            body = Data(rest.data[end.upperBound...])
        } else {
            body = rest.data
        }
        guard
            let response = HTTPURLResponse(
                url: Self.url, statusCode: status ?? 200, httpVersion: "HTTP/1.1", headerFields: fields)
        else { return nil }
        self.response = response
    }
}
