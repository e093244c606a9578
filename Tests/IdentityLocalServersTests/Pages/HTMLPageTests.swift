import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("HTML pages")
struct HTMLPageTests {
    static let hostile = "\"><script>alert('x')</script>&amp;<b onclick='y'>\0"

    @Test("Text in a page is escaped, whatever it is put into")
    func escaping() {
        let text = Self.hostile
        let escaped: HTML = "\(text)"
        #expect(
            escaped.text
                == "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;&lt;b onclick=&#39;y&#39;&gt;\u{FFFD}"
        )
        let piece: HTML = "<i>\(text)</i>"
        let whole: HTML = "<p title=\"\(text)\">\(piece)\([piece])\(3)\(nil as HTML?)</p>"
        #expect(!whole.text.contains("<script") && !whole.text.contains("<b "))
        #expect(whole.text.components(separatedBy: "<i>").count == 3)
        #expect(HTML(text) == escaped)
    }

    @Test("Nothing of a page or a form can be broken out of")
    func hostilePage() {
        let text = Self.hostile
        let field = { (kind: PageField.Kind) in
            PageField(text, text, kind) {
                $0.value = text
                $0.hint = text
                $0.placeholder = text
                $0.autocomplete = text
                $0.isInvalid = true
            }
        }
        let form = PageForm(
            to: text, hidden: [(text, text)],
            fields: [
                field(.line(type: text)), field(.password), field(.oneTimeCode), field(.box(isTicked: true)),
                field(.choice([(text, text)])),
            ], buttons: [PageButton(text, name: text, value: text)])
        let page = HTMLPage(text, site: text, alert: text, content: [form.html]).html.text
        #expect(!page.contains("<script") && !page.contains("<b ") && !page.contains("\0"))
        let read = HTMLForm.forms(in: page).first
        #expect(read?.fields.filter { $0.type == "hidden" }.map(\.name) == [text.replacing("\0", with: "\u{FFFD}")])
    }

    @Test("A page's headers let nothing in but its own style")
    func headers() throws {
        let answer = HTMLPage("Title", site: "Site").response(status: 404)
        #expect(answer.status == 404)
        let headers = Dictionary(answer.headers.map { ($0.name, $0.value) }) { $1 }
        let html = String(decoding: answer.body, as: UTF8.self)
        let style = try #require(
            html.components(separatedBy: "<style>").last?.components(separatedBy: "</style>").first)
        let hash = sha256(Data(style.utf8)).base64EncodedString()
        #expect(
            headers["Content-Security-Policy"]
                == "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; frame-ancestors 'none'; "
                + "form-action 'self'")
    }

    @Test(
        "A form may lead to the origin it names, or to its scheme, and to nothing else",
        arguments: [
            ("http://127.0.0.1:4000/callback?a=b", "http://127.0.0.1:4000"),
            ("https://app.example/x", "https://app.example"),
            ("com.example.app:/callback", "com.example.app:"), ("com.example.app://callback", "com.example.app:"),
            ("http://[::1]:4000/callback", "http:"), ("https://*.example/", "https:"),
            ("no address; script-src *", nil),
            ("javascript;:alert(1)", nil), ("javascript:alert(1)", nil), ("DATA:text/html,x", nil),
            ("/relative", nil), ("", nil),
        ])
    func formTargets(address: String, source: String?) {
        let answer = HTMLPage("Title", site: "Site") { $0.formTargets = [address] }.response()
        let policy = answer.headers.first { $0.name == "Content-Security-Policy" }?.value
        let expected = source.map { "form-action 'self' \($0)" } ?? "form-action 'self'"
        #expect(policy?.hasSuffix("; " + expected) == true, "\(policy ?? "")")
    }

    @Test("The field that was refused has the focus and says why, or else the first that is empty")
    func focus() {
        func form(refused: Bool) -> String {
            PageForm(
                to: "/",
                fields: [
                    PageField("a", "First") { $0.value = "filled" },
                    PageField("b", "Second") { $0.isRequired = false },
                    PageField("c", "Third", .password) { $0.isInvalid = refused },
                ], buttons: [PageButton("Go"), PageButton("Leave", rank: .plain, skipsChecks: true)]
            ).html.text
        }
        #expect(form(refused: false).contains("id=\"field-b\" name=\"b\" autofocus"))
        let refused = form(refused: true)
        #expect(
            refused.contains(
                "id=\"field-c\" name=\"c\" required aria-invalid=\"true\" aria-describedby=\"alert\" autofocus"))
        #expect(refused.components(separatedBy: "autofocus").count == 2)
        #expect(refused.contains("<label for=\"field-c\">Third</label>"))
        #expect(refused.contains("formnovalidate>Leave"))
    }
}
