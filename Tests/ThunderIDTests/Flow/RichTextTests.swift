import Foundation
import IdentityKit
import Testing

@testable import ThunderID

/// Texts of a step that stand by themselves.
@Suite struct RichTextTests {
    private func parts(_ label: String) -> [String] {
        (RichText.paragraph(of: label)?.parts ?? []).map { part in
            part.address.map { "[\(part.text)](\($0.absoluteString))" } ?? part.text
        }
    }

    @Test(
        "Links are kept, other markup goes, and what is no link to a page, a mail or a call is its text alone",
        arguments: [
            (
                #"<p>Trouble? <a href="https://help.example.com/reset?a=1&amp;b=2">Forgot password?</a></p>"#,
                ["Trouble? ", "[Forgot password?](https://help.example.com/reset?a=1&b=2)"]
            ),
            (
                #"<a class='x' href='mailto:help@example.com'><b>Write</b> to us</a>."#,
                ["[Write to us](mailto:help@example.com)", "."]
            ),
            (
                #"<A HREF="https://a.example">A</A><br><a href="tel:+41">B</a>"#,
                ["[A](https://a.example)", "\n", "[B](tel:+41)"]
            ),
            (
                ##"<a href="javascript:alert(1)">A</a> <a href="http://a.example">B</a> <a href="/c">C</a> <a href="#">D</a>"##,
                ["A", " ", "B", " ", "C", " ", "D"]
            ),
            ("1 &lt; 2 &amp;&amp; 3 &gt; 2 &quot;&#39;&unknown; & so on", [#"1 < 2 && 3 > 2 "'&unknown; & so on"#]),
            ("<p> </p>", []), ("", []), ("<<<", ["<<<"]), ("a < b", ["a < b"]), ("<a href=", ["<a href="]),
            (#"<a href="https://a.example">open"#, ["[open](https://a.example)"]),
        ] as [(String, [String])])
    func labels(label: String, expected: [String]) {
        #expect(parts(label) == expected)
    }

    @Test("Texts and links are paragraphs; headings and the texts of actions are not")
    func layout() throws {
        let meta = try JSONValue(
            parsing: Data(
                #"""
                {"components": [
                  {"type": "TEXT", "variant": "HEADING_1", "label": "Welcome"},
                  {"type": "BLOCK", "components": [
                    {"type": "TEXT", "variant": "BODY_1", "label": "{{ t(signin:body) }}"},
                    {"type": "RICH_TEXT", "label": "<a href=\"{{ meta(application.recoveryUrl) }}\">Forgot password?</a>"},
                    {"type": "RICH_TEXT", "label": "<a href=\"{{ meta(application.unknown) }}\">Unknown</a>"},
                    {"type": "RICH_TEXT", "label": "<a href=\"#\">Sign up</a>", "action": {"ref": "sign_up"}}]}]}
                """#.utf8))
        let texts = FlowTexts(document: [
            "application": ["recoveryUrl": "https://help.example.com/reset"],
            "i18n": ["translations": ["signin": ["body": "Use your work account."]]],
        ])
        let layout = FlowLayout(meta, texts: texts)
        #expect(layout.headings == ["Welcome"])
        #expect(layout.paragraphs.map(\.text) == ["Use your work account.", "Forgot password?"])
        #expect(layout.paragraphs.last?.parts.last?.address == URL(string: "https://help.example.com/reset"))
        #expect(layout.label(ofAction: "sign_up") == "Sign up")
    }
}
