import Foundation
import IdentityKit
import Testing

@Suite struct ConfigurationTextTests {
    private let added = ProviderConfiguration(
        name: "new", type: "insforge", settings: ["baseURL": "https://example.insforge.app"])

    /// The documents's text with the provider in the place of `HERE`.
    private func expect(
        _ text: String, profile: String? = nil, becomes expected: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let document = try ConfigurationText(Data(text.utf8)).adding(added, profile: profile, variables: [:])
        #expect(String(decoding: document, as: UTF8.self) == expected, sourceLocation: location)
        let name = try IdentityConfiguration.profiles(in: document).contains(profile ?? "") ? profile : nil
        let configuration = try IdentityConfiguration(parsing: document, profile: name, variables: [:])
        #expect(configuration.providers.last == added, sourceLocation: location)
    }

    private let one = #"{"type":"anonymous","settings":{},"name":"a"}"#
    private let line =
        #"{ "name" : "new", "settings" : { "baseURL" : "https://example.insforge.app" }, "type" : "insforge" }"#

    @Test("In a document with lines the provider has lines of the same depth, and the rest stays byte for byte")
    func lines() throws {
        for end in ["\n", "\r\n"] {
            let before = [
                #"{"#, #"   "store": {"type":"memory"},"#, #"   "providers": ["#, "\t\(one),",
                "\t\(one.replacing("\"a\"", with: "\"b\""))",
            ].joined(separator: end)
            let after = ["", "   ],", #"   "onSessionEnd" : "ask"  }"#, ""].joined(separator: end)
            let provider = [
                ",", "\t{", "\t  \"name\" : \"new\",", "\t  \"settings\" : {",
                "\t    \"baseURL\" : \"https://example.insforge.app\"", "\t  },", "\t  \"type\" : \"insforge\"", "\t}",
            ].joined(separator: end)
            try expect(before + after, becomes: before + provider + after)
        }
    }

    @Test("On one line the provider is one line")
    func oneLine() throws {
        try expect(#"{"providers":[\#(one)]}"#, becomes: #"{"providers":[\#(one),\#(line)]}"#)
        try expect(#"{"providers": [ \#(one) ]}"#, becomes: #"{"providers": [ \#(one), \#(line) ]}"#)
        try expect("\u{FEFF}{\"providers\":[\(one)]}", becomes: "\u{FEFF}{\"providers\":[\(one),\(line)]}")
    }

    @Test("The provider comes into its profile, and into no member of the same name elsewhere")
    func profiles() throws {
        let other = #"{"name":"b","type":"anonymous","settings":{"providers":[1]}}"#
        func document(_ dev: String) -> String {
            #"{"defaultProfile":"dev","profiles":{"live":{"providers":[\#(other)]},"dev":{"providers":[\#(one)\#(dev)]}}}"#
        }
        try expect(document(""), profile: "dev", becomes: document(",\(line)"))
        try expect(document(""), becomes: document(",\(line)"))
        #expect(throws: ConfigurationError.self) {
            try ConfigurationText(Data(document("").utf8)).adding(added, profile: "none", variables: [:])
        }
    }

    @Test("A provider comes into the place of the one of its name, and the rest stays byte for byte")
    func replaced() throws {
        func expect(_ before: String, _ old: String, _ after: String, becomes new: String) throws {
            let document = try ConfigurationText(Data((before + old + after).utf8)).replacing(added, variables: [:])
            #expect(String(decoding: document, as: UTF8.self) == before + new + after)
        }
        let former = one.replacing("\"a\"", with: "\"new\"")
        try expect(#"{"providers":["#, former, #"]}"#, becomes: line)
        try expect(#"{"providers": ["#, former, #", \#(one) ] }"#, becomes: line)
        try expect(#"{"providers":[\#(one),"#, former, #"], "onSessionEnd": "ask"}"#, becomes: line)
        try expect(
            "{\"providers\": [\n  \(one),\n  ", former, "\n]}",
            becomes: [
                "{", #"    "name" : "new","#, #"    "settings" : {"#,
                #"      "baseURL" : "https://example.insforge.app""#,
                "    },", #"    "type" : "insforge""#, "  }",
            ].joined(separator: "\n"))
        #expect(throws: ConfigurationError.self) {
            try ConfigurationText(Data(#"{"providers":[\#(one)]}"#.utf8)).replacing(added, variables: [:])
        }
    }

    @Test(
        "A document without a list of providers is refused",
        arguments: ["", "[]", "{}", "{\"providers\": {}}", "{\"providers\": [}", "{\"profiles\": {\"a\": {}}}"])
    func refused(text: String) {
        #expect(throws: ConfigurationError.self) {
            try ConfigurationText(Data(text.utf8)).adding(added, variables: [:])
        }
    }
}
