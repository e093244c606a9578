import Foundation
import IdentityKit
import Testing

@Suite struct JSONValueTests {
    @Test("Every kind of value survives, whole numbers stay whole and booleans stay booleans")
    func lossless() throws {
        let text = #"{"a":[1,1.5,true,null,"x",{}],"big":9007199254740993,"neg":-0.25}"#
        let value = try JSONValue(parsing: Data(text.utf8))
        #expect(value["a"] == [1, 1.5, true, nil, "x", [:]])
        #expect(value["big"]?.integerValue == 9_007_199_254_740_993)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    }
}
