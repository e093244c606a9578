import Foundation
import TestSupport
import Testing

@testable import IdentityKit

/// The figures on the page about operations are those of the code.
@Suite struct OperationsPageTests {
    @Test("The page says how long a caller waits behind a holder that does not go on")
    func leaseDeadline() throws {
        let page = "Sources/IdentityKit/IdentityKit.docc/Operations.md"
        let text = try String(contentsOf: PackageFolder.url.appendingPathComponent(page), encoding: .utf8)
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| `refresh_in_progress` |") })
        #expect(row.contains("not finished in \(TokenRefresher.leaseDeadline.components.seconds) seconds"), "\(row)")
    }
}
