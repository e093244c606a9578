import TestSupport
import Testing

/// What several places would otherwise write again stands in one.
@Suite("One idea in one place")
struct OncePlaceTests {
    @Test("A device is named by the protocol's methods and by the outermost calls; all else takes a context")
    func deviceToken() throws {
        let conformances = /func (?:activeAccount|requestAuthorization)\([^)]*deviceToken: String/
        #expect(try SourceFiles.places(of: conformances).count > 10, "the sources are found")
        let others = /(?:func (?!activeAccount|requestAuthorization)\w+|init)\([^)]*deviceToken: String/
        let asking = "Sources/IdentityCore/Chain/IdentityProviderChain+Asking.swift"
        #expect(
            try SourceFiles.places(of: others) == [
                "Sources/IdentityCore/AccountProvider.swift", "Sources/IdentityCore/AccountProvider.swift",
                "Sources/IdentityCore/Chain/CallerContext.swift", asking, asking, asking,
            ])
    }
}
