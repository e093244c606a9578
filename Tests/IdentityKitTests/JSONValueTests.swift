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

    @Test("A value is decoded as a type that it fits, and as no other")
    func decoded() {
        struct Pair: Decodable, Equatable {
            let a: Int
            let b: Bool?
        }
        #expect(JSONValue.object(["a": 1, "c": "x"]).decoded(as: Pair.self) == Pair(a: 1, b: nil))
        #expect(JSONValue.bool(true).decoded(as: Bool.self) == true)
        #expect(JSONValue.bool(true).decoded(as: Int.self) == nil)
        #expect(JSONValue.integer(3).decoded(as: Double.self) == 3)
        #expect(JSONValue.integer(3).decoded(as: Bool.self) == nil)
        #expect(JSONValue.number(1.5).decoded(as: Int.self) == nil)
        #expect(JSONValue.number(.infinity).decoded(as: Double.self) == nil)
        #expect(JSONValue.array(["x", "y"]).decoded(as: [String].self) == ["x", "y"])
        #expect(JSONValue.array(["x", 1]).decoded(as: [String].self) == nil)
        #expect(JSONValue.null.decoded(as: String.self) == nil)
    }

    @Test(
        "A number is the same when it is written and read again, also where its fraction is lost",
        arguments: ["5.0", "55555555555555555.555", "-9223372036854775808.0", "9223372036854775808", "1e300", "0.1"])
    func written(number: String) throws {
        let value = try JSONValue(parsing: Data("[\(number)]".utf8))
        #expect(try JSONValue(parsing: JSONEncoder().encode(value)) == value)
    }
}
