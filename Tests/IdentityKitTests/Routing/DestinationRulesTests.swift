import Foundation
import IdentityKit
import Testing

/// Which providers an address leads to.
@Suite struct DestinationRulesTests {
    private static let rules: DestinationRules = {
        func rule(_ name: String, _ addresses: String...) -> DestinationRules.Rule {
            DestinationRules.Rule(name, addresses.compactMap { URL(string: $0) }, isLimit: name == "work")
        }
        return DestinationRules([
            rule("work", "https://api.example.com/v1"),
            rule("home", "https://api.example.com/v1/notes/", "https://notes.example.com"),
            rule("lab", "http://127.0.0.1:8080", "https://api.example.com/v1/notes"),
            rule("books", "https://xn--bcher-kva.example"),
        ])
    }()

    private func providers(at address: String) -> String {
        switch Self.rules.finding(at: URL(string: address)) {
        case .unnamed: "nobody"
        case .named(_, let providers): providers.joined(separator: " ")
        case .unclear: "unclear"
        }
    }

    @Test(
        "The longest destination wins, by whole segments",
        arguments: [
            ("https://api.example.com/v1", "work"), ("https://api.example.com/v1/", "work"),
            ("https://api.example.com/v1/x?y=/v1/notes#/v1/notes", "work"),
            ("https://api.example.com/v1/notesx", "work"), ("https://api.example.com/v1/notes", "home lab"),
            ("https://api.example.com/v1/notes/7", "home lab"), ("HTTPS://API.Example.COM:443/v1/x", "work"),
            ("https://api.example.com/v1/a%20b/%C3%BC", "work"), ("https://notes.example.com", "home"),
            ("https://notes.example.com/", "home"), ("http://127.0.0.1:8080/x", "lab"),
            ("https://xn--bcher-kva.example/x", "books"), ("https://XN--BCHER-KVA.example", "books"),
        ])
    func named(address: String, expected: String) { #expect(providers(at: address) == expected) }

    @Test(
        "Another scheme, host, port or path is another address",
        arguments: [
            "https://api.example.com", "https://api.example.com/v10", "https://api.example.com/V1",
            "https://api.example.com:8443/v1", "https://api.example.com:80/v1", "http://api.example.com/v1",
            "http://api.example.com:443/v1", "ftp://api.example.com/v1", "https://api.example.com./v1",
            "https://api.example.com.evil.example/v1", "https://evil.example/https://api.example.com/v1",
            "https://evil.example/v1", "https://evil.example?https://api.example.com/v1",
            "https://evil.example#@api.example.com/v1", "https://api.example.com@evil.example/v1",
            "https://\u{430}pi.example.com/v1", "https://bucher.example", "http://localhost:8080/x",
            "http://127.0.0.1/x", "http://127.0.0.1:80801/x", "mailto:ada@api.example.com", "/v1", "",
        ])
    func unnamed(address: String) { #expect(providers(at: address) == "nobody") }

    @Test(
        "An address that servers may read in two ways leads to nobody",
        arguments: [
            "https://ada@api.example.com/v1", "https://ada:secret@notes.example.com/x",
            "https://api.example.com/v1/../v2", "https://api.example.com/v1/%2e%2e/v2",
            "https://api.example.com/v1/..%2fv2", "https://api.example.com/v2/..;/v1",
            "https://api.example.com//v1", "https://api.example.com/v1/%5c..%5cv2",
            "https://api.example.com/v1/%6Eotes", "https://api.example.com/%76%31/x",
            "https://api.example.com/v1/%252e%252e/v2",
        ])
    func unclear(address: String) { #expect(providers(at: address) == "unclear") }

    @Test("A provider with a limit sends its token nowhere else")
    func limit() {
        for (address, isAllowed) in [
            ("https://api.example.com/v1/x", true), ("https://api.example.com/v1/notes", true),
            ("https://api.example.com/v2", false), ("https://ada@api.example.com/v1", false),
            ("https://api.example.com/v1/../v2", false), ("https://notes.example.com", false),
        ] {
            let url = URL(string: address)
            #expect(Self.rules.allows("work", at: url) == isAllowed, "\(address)")
            #expect(Self.rules.allows("home", at: url), "\(address)")
        }
        #expect(!Self.rules.allows("work", at: nil))
    }

    private func configuration(_ address: String) throws -> IdentityConfiguration {
        let provider = "{\"name\": \"a\", \"type\": \"t\", \"settings\": {}, \"sendsTo\": [\"\(address)\"]}"
        let text = "{\"providers\": [\(provider)], \"routesByDestination\": false}"
        return try IdentityConfiguration(parsing: Data(text.utf8), variables: [:])
    }

    @Test("A configuration names addresses that every server reads in one way")
    func settings() throws {
        let read = try configuration("https://api.example.com/v1")
        #expect(read.providers[0].sendsTo.map(\.absoluteString) == ["https://api.example.com/v1"])
        #expect(!read.routesByDestination)
        let written = try JSONEncoder().encode(read)
        #expect(try IdentityConfiguration(parsing: written, variables: [:]).providers == read.providers)
        for address in [
            "http://api.example.com", "https://ada@api.example.com", "https://api.example.com/v1/../v2", "mailto:a",
            "https://api.example.com?x=y", "https://api.example.com#x", "https:///v1", "ftp://api.example.com",
        ] {
            let error = #expect(throws: ConfigurationError.self, "\(address)") { try configuration(address) }
            guard case .invalidValue(let keyPath, _)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(keyPath == "providers[0].sendsTo[0]", "\(address)")
        }
    }
}
