import Foundation
import IdentityCore
import Testing

/// Every process of a store reads this record, also one of an earlier version.
@Suite struct CurrentAccountTests {
    private static let ada = AccountID(account: "ada", realm: "work")
    private static let name = #""account":{"account":"ada","realm":"work"}"#

    @Test("A record is written in one form, and read as it was written")
    func form() throws {
        let fallback = SessionFallback(from: AccountID(account: "eve", realm: "home"), reason: "It has expired.")
        let records = [
            (CurrentAccount(Self.ada, of: "work"), #"{\#(Self.name),"provider":"work"}"#),
            (
                CurrentAccount(Self.ada, of: "work", fallback: fallback),
                #"{\#(Self.name),"fallback":{"from":{"account":"eve","realm":"home"},"reason":"It has expired."},"#
                    + #""provider":"work"}"#
            ),
            (
                CurrentAccount(Self.ada, signedInAt: Date(timeIntervalSinceReferenceDate: 800_000_000.25)),
                #"{\#(Self.name),"signedInAt":800000000.25}"#
            ),
            (CurrentAccount(Self.ada, withoutSession: 7), #"{\#(Self.name),"withoutSession":7}"#),
        ]
        for (record, text) in records {
            #expect(String(decoding: try record.encoded(), as: UTF8.self) == text)
            #expect(try CurrentAccount(reading: Data(text.utf8)) == record)
        }
    }

    @Test(
        "Content that names no account, or holds what cannot be, is no record",
        arguments: [
            "", "{", "[]", "null", #"{"account":{"account":"ada"}}"#, #"{"account":"work/ada"}"#,
            #"{\#(name),"provider":1}"#, #"{\#(name),"signedInAt":1e300}"#, #"{\#(name),"fallback":{}}"#,
            #"{\#(name),"later":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
        ])
    func malformed(content: String) {
        #expect(throws: DecodingError.self) { try CurrentAccount(reading: Data(content.utf8)) }
    }

    @Test("What a later version adds is passed over, and a generation that cannot be is none")
    func tolerated() throws {
        let content = Data(#"{\#(Self.name),"later":[1],"withoutSession":-1}"#.utf8)
        let record = try CurrentAccount(reading: content)
        #expect(record.account == Self.ada && record.withoutSession == nil)
    }
}
