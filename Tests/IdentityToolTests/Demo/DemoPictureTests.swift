import Foundation
import TestSupport
import Testing

/// The README's picture of the demo shows what the demo prints.
@Suite struct DemoPictureTests {
    /// To draw it anew: `Documentation/demo-picture`.
    @Test("The picture has the demo's text, but for times, ports and generated identifiers")
    func text() async throws {
        let picture = try String(
            contentsOf: PackageFolder.url.appendingPathComponent("Documentation/demo.svg"), encoding: .utf8)
        let drawn = picture.matches(of: /<text [^>]*>(.*)<\/text>/).map { match in
            Self.stable(
                String(match.1).replacing(/<[^>]*>/, with: "").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
                    .replacing("&amp;", with: "&"))
        }
        let demo = try await Tool.run("demo")
        let printed = demo.output.split(separator: "\n").map { Self.stable(String($0)) }
        #expect(demo.status == 0 && printed.count > 30)
        #expect(drawn.count == printed.count)
        for (drawn, printed) in zip(drawn, printed) { #expect(drawn == printed) }
    }

    /// A line without what is different each time.
    private static func stable(_ line: String) -> String {
        line.replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "ID").replacing(/\s*\d+\.\d+( ms)?$/, with: " TIME")
            .replacing(/\s+ms$/, with: " TIME").replacing(/127\.0\.0\.1:\d+/, with: "ADDRESS")
    }
}
