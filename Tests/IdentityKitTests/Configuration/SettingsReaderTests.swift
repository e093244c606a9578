import Foundation
import Testing

@testable import IdentityKit

/// A single call reads a setting and describes it.
@Suite struct SettingsReaderTests {
    private struct Harbour: Decodable, Equatable {
        let address: String
        let name: String?
        let berths: Int
        let crane: Crane?

        enum Crane: String, Decodable, CaseIterable {
            case fixed, mobile
        }

        init(address: String, name: String? = nil, berths: Int = 4, crane: Crane? = nil) {
            (self.address, self.name, self.berths, self.crane) = (address, name, berths, crane)
        }

        init(from decoder: any Decoder) throws {
            let settings = try SettingsReader(decoder)
            let allowsHTTP = try settings.allowsLoopbackHTTP()
            address = try settings.read(
                "address", .serverURL(allowsLoopbackHTTP: allowsHTTP), means: "Where it is.",
                example: "https://harbour.example")
            name = try settings.readIfPresent(
                "name", .text, means: "What it is called.", example: "North", isUsual: true)
            let berths: Double = try settings.read(
                "berths", .within(1...100, "Write a number from 1 to 100."), means: "How many ships fit.",
                example: 8, default: 4)
            self.berths = Int(berths)
            crane = try settings.readIfPresent(
                "crane", means: "Which crane it has.", example: "mobile", with: ["berths": 8])
            if crane == .mobile, self.berths < 8 { throw settings.mistake("crane", "It needs eight berths.") }
            if crane == .fixed, name == nil { throw settings.missing("name") }
        }
    }

    private func harbour(_ document: JSONValue) throws -> Harbour {
        try SettingsDecoder.decode(Harbour.self, from: document, at: "harbour")
    }

    private static let address: JSONValue = ["address": "https://harbour.example"]

    @Test("What is there is read, and a default is a value as a configuration writes it")
    func values() throws {
        #expect(try harbour(Self.address) == Harbour(address: "https://harbour.example"))
        let whole = Self.address.merged(with: ["name": "North", "berths": 8, "crane": "mobile"])
        #expect(
            try harbour(whole)
                == Harbour(address: "https://harbour.example", name: "North", berths: 8, crane: .mobile))
    }

    @Test(
        "A mistake names its place, and says what to write",
        arguments: [
            (["address": "ftp://harbour.example"], "harbour.address is not acceptable."),
            (
                ["adress": "https://harbour.example"],
                "harbour.address is missing, and \"adress\" is not a known setting."
            ),
            (
                address.merged(with: ["name": " North"]),
                "harbour.name is not acceptable. There is a blank before or after"
            ),
            (address.merged(with: ["berths": 0]), "harbour.berths is not acceptable. Write a number from 1 to 100."),
            (address.merged(with: ["berths": "x"]), "harbour.berths is a string, but must be a number."),
            (address.merged(with: ["crane": "flying"]), "harbour.crane is not acceptable. It is \"flying\"."),
            (address.merged(with: ["crane": "mobile"]), "harbour.crane is not acceptable. It needs eight berths."),
            (address.merged(with: ["crane": "fixed", "nam": "N"]), "harbour.name is missing, and \"nam\" is not"),
            (address.merged(with: ["ship": 1]), "harbour.ship is not a known setting."),
        ] as [(JSONValue, String)])
    func mistakes(document: JSONValue, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try harbour(document) }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test("The schema and the descriptions come from the same calls, although rules would refuse the samples")
    func described() {
        let schema = SchemaTracer.schema(of: Harbour.self)
        #expect(schema["required"] == ["address"])
        #expect(
            schema["properties"]?["berths"] == [
                "type": "number", "minimum": .number(1), "maximum": .number(100),
                "description": "How many ships fit.", "examples": [8], "default": 4,
            ])
        #expect(schema["properties"]?["crane"]?["enum"] == ["fixed", "mobile"])
        let descriptions = SchemaTracer.descriptions(of: Harbour.self)
        #expect(
            Set(descriptions.map(\.key)) == ["address", "allowsLoopbackHTTP", "name", "berths", "crane"])
        #expect(descriptions.filter(\.isUsual).map(\.key) == ["name"])
        #expect(descriptions.first { $0.key == "crane" }?.companions == ["berths": 8])
    }
}
