import Testing

@testable import IdentityLocalServers

@Suite("HTML forms")
struct HTMLFormTests {
    @Test("Fields, hidden fields and buttons are found, however the attributes are written")
    func fields() throws {
        let page = """
            <p>Before</p><form class="wide" method=post action='/login?next=a&amp;b'>
            <input type="hidden" name="token" value="a&quot;b&#x27;c">
            <input name="username" required><INPUT NAME=password type=password />
            <button
              name="action"
              value="grant"
              type="submit">Go</button>
            <button>Nameless</button>
            </form><input name="outside">
            """
        let form = try #require(HTMLForm.forms(in: page).first)
        #expect(form.action == "/login?next=a&b")
        #expect(form.method == "POST")
        #expect(
            form.fields == [
                .init(name: "token", value: "a\"b'c", type: "hidden"),
                .init(name: "username", value: "", type: "text"),
                .init(name: "password", value: "", type: "password"),
                .init(name: "action", value: "grant", type: "submit"),
            ])
    }

    @Test("Of boxes and dials only the chosen ones are sent")
    func boxes() throws {
        let page = """
            <form><input type=checkbox name=a checked><input type=checkbox name=b value=1>\
            <input type="radio" name="c" value="2" checked="checked"></form>
            """
        let form = try #require(HTMLForm.forms(in: page).first)
        #expect(form.method == "GET")
        #expect(form.fields.map(\.name) == ["a", "c"])
        #expect(form.fields.map(\.value) == ["on", "2"])
    }

    @Test("Several forms stay apart")
    func several() {
        let page = "<form action=/one><input name=a></form><form action=/two method=post><input name=b></form>"
        #expect(HTMLForm.forms(in: page).map(\.action) == ["/one", "/two"])
        #expect(HTMLForm.forms(in: "<p>No form</p>").isEmpty)
    }
}
