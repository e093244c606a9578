import Foundation
import IdentityKit
import Testing

@testable import ThunderID

/// Texts that a server chooses are read in one pass. A reader that goes back for each of a million characters would take
/// days for these.
@Suite struct TemplateTextTests {
    private static let million = 1_000_000

    @Test(
        "No text makes the reader of templates go back",
        arguments: [
            String(repeating: " ", count: million), String(repeating: "{", count: million),
            "{{" + String(repeating: " ", count: million), "{{ t(" + String(repeating: " ", count: million),
            "{{ t(a" + String(repeating: " ", count: million) + ")", String(repeating: "{{t(", count: million / 4),
            String(repeating: "{{t(", count: million / 8) + ")" + String(repeating: " ", count: million / 2),
            String(repeating: "{{t(a)", count: million / 6), String(repeating: "{{ t( ) ", count: million / 8),
            String(repeating: "}}", count: million / 2), String(repeating: ")", count: million),
        ])
    func linear(text: String) {
        var template = TemplateText(text)
        #expect(template.filled(["t", "meta"]) { _, _ in "x" } == text)
        // As the labels of a step are read.
        _ = FlowTexts().resolve(text)
    }

    @Test("A label of a thousand spaces is nothing to show")
    func spaces() {
        #expect(FlowTexts().resolve("{{ t(" + String(repeating: " ", count: 1000)) != nil)
        #expect(FlowTexts().resolve(String(repeating: " ", count: 1000)) == nil)
        #expect(FlowTexts().resolve("{{ t(" + String(repeating: " ", count: 1000) + ") }}") == nil)
    }

    @Test(
        "Templates are found wherever they are, and nothing else is taken for one",
        arguments: [
            ("{{t(a)}}{{ meta( b ) }}c", "[t:a][meta:b]c"), ("{{{t(a)}}}", "{[t:a]}"), ("{{{{t(a)}}}}", "{{[t:a]}}"),
            ("{{ t(a) } }", "{{ t(a) } }"), ("{{ t (a) }}", "{{ t (a) }}"), ("{{ tt(a) }}", "{{ tt(a) }}"),
            ("{{\n\tt(\n a b \n)\r\n}}", "[t:a b]"), ("{{ t(a }} {{ t(b) }}", "[t:a }} {{ t(b]"), ("{{t()}}", "[t:]"),
            ("é{{t(ü)}}é", "é[t:ü]é"), ("{{ t(a)) }}{{t(b)}}", "{{ t(a)) }}[t:b]"), ("", ""), ("{{", "{{"),
        ])
    func finds(text: String, filled: String) {
        var template = TemplateText(text)
        #expect(template.filled(["t", "meta"]) { "[\($0):\($1)]" } == filled)
    }

    @Test("A text is no label that has more templates, or becomes longer, than any label")
    func limits() {
        var most = TemplateText(String(repeating: "{{t(a)}}", count: TemplateText.maximumTemplates))
        #expect(most.filled(["t"]) { _, _ in "x" } == String(repeating: "x", count: TemplateText.maximumTemplates))
        var more = TemplateText(String(repeating: "{{t(a)}}", count: TemplateText.maximumTemplates + 1))
        #expect(more.filled(["t"]) { _, _ in "x" } == nil)
        var long = TemplateText(String(repeating: "{{t(a)}}", count: 100))
        #expect(long.filled(["t"]) { _, _ in String(repeating: "x", count: TemplateText.maximumSize) } == nil)
        #expect(FlowTexts().resolve(String(repeating: "x", count: TemplateText.maximumSize)) != nil)
        #expect(FlowTexts().resolve(String(repeating: "x", count: TemplateText.maximumSize + 1)) == nil)
    }

    @Test(
        "Markup is left out in one pass",
        arguments: [
            ("<a href=\"x\">Sign <b>up</b></a>", "Sign up"), ("a < b", "a < b"), ("a > b", "a > b"), ("<", "<"),
            ("<<b>>", ">"), ("", ""), (String(repeating: "<", count: million), String(repeating: "<", count: million)),
            (String(repeating: "<>", count: million / 2), ""),
        ])
    func markup(html: String, text: String) {
        #expect(html.withoutMarkup == text)
    }

    @Test("A step with as many inputs as components, each with a label, is laid out in one pass")
    func layout() throws {
        let count = 20_000
        let components: [JSONValue] = (0..<count).map { ["ref": .string("i\($0)"), "label": .string("Label \($0)")] }
        let layout = FlowLayout(["components": .array(components)], texts: FlowTexts())
        // Each is found by its name; to look through all of them for each takes 400 million comparisons of texts.
        for index in 0..<count { #expect(layout.label(ofInput: "i\(index)") == "Label \(index)") }
        #expect(layout.label(ofInput: "i\(count)") == nil)
    }

    @Test("Of several components for one input, and of a button and a link, the first counts")
    func firstComponent() {
        let layout = FlowLayout(
            [
                "components": [
                    ["type": "ACTION", "ref": "a", "label": "no input"], ["ref": "a", "label": "first"],
                    ["ref": "a", "label": "second"],
                    ["type": "RICH_TEXT", "action": ["ref": "go"], "label": "<a>link</a>"],
                    ["type": "ACTION", "id": "go", "label": "button"],
                    ["type": "ACTION", "id": "go", "label": "other"],
                    ["type": "RICH_TEXT", "action": ["ref": "only"], "label": " <a>link</a> "],
                ]
            ], texts: FlowTexts())
        #expect(layout.label(ofInput: "a") == "first")
        #expect(layout.label(ofAction: "go") == "button")
        #expect(layout.label(ofAction: "only") == "link")
    }
}
