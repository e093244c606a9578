import IdentityLocalServers
import Testing

/// What the comment about markup shows.
@Suite struct EscapingText {
    private struct User {
        let name: String
    }

    @Test("A name stays a name") func name() {
        let user = User(name: "<b>Ada</b>")
        // snippet: escaping-text
        let cell: HTML = "<td>\(user.name)</td>"  // Safe even if the name contains `<`.
        // end snippet
        #expect(cell.text == "<td>&lt;b&gt;Ada&lt;/b&gt;</td>")
    }
}
