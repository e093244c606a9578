import IdentityKit
import Testing

@Suite("JSON shapes")
struct JSONShapeTests {
    @Test("Documents that differ only in values have the same shape")
    func valuesAreFree() throws {
        let recorded = try #require(JSONShape(ofDocument: #"{"a": [1, "x"], "b": {"c": true}}"#))
        let local = try #require(JSONShape(ofDocument: #"{"b": {"c": false}, "a": [2.5, "y"]}"#))
        #expect(recorded.differences(in: local).isEmpty)
    }

    @Test(
        "Each difference is named by its path",
        arguments: [
            (#"{"a": {"b": 1}}"#, #"{"a": {}}"#, "$.a.b is missing"),
            (#"{"a": 1}"#, #"{"a": 1, "c": null}"#, "$.c is not expected"),
            (#"{"a": [{"b": 1}]}"#, #"{"a": [{"b": "1"}]}"#, "$.a[0].b is a string instead of a number"),
            ("[1, 2]", "[1]", "$ has 1 elements instead of 2"),
            (#"{"a": "eyJhIjoxfQ.eyJiIjoxfQ.c2ln"}"#, #"{"a": "plain"}"#, "$.a is a string instead of a JWT"),
            (
                #"{"a": "eyJhIjoxfQ.eyJiIjoxfQ.c2ln"}"#, #"{"a": "eyJhIjoxfQ.eyJjIjoxfQ.c2ln"}"#,
                "$.a<claims>.b is missing"
            ),
        ])
    func differencesAreNamed(recorded: String, local: String, expected: String) throws {
        let recorded = try #require(JSONShape(ofDocument: recorded))
        let local = try #require(JSONShape(ofDocument: local))
        #expect(recorded.differences(in: local).contains(expected))
    }

    @Test("Recorded ids are replaced by the local ones of the same place, also when form-encoded")
    func recordedValuesAreReplaced() {
        var values = RecordedValues(["http://127.0.0.1:1": "http://127.0.0.1:2"])
        values.learn(
            from: .init(
                status: 200, headers: ["Location": "app://cb?code=recorded-code-0001&state=s"],
                body: #"{"id": "recorded-identifier"}"#),
            local: LocalAnswer(
                status: 200, headers: ["location": "app://cb?code=local-code-0001&state=s"],
                body: #"{"id": "local-identifier"}"#))
        let text = "http://127.0.0.1:1/recorded-identifier?c=recorded-code-0001&u=http%3A%2F%2F127.0.0.1%3A1"
        #expect(
            values.applied(to: text)
                == "http://127.0.0.1:2/local-identifier?c=local-code-0001&u=http%3A%2F%2F127.0.0.1%3A2")
    }
}
