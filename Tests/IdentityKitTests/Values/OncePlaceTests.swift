import TestSupport
import Testing

/// Code that several places would otherwise write again stands in one.
@Suite("One idea in one place")
struct OncePlaceTests {
    @Test("Who asks a store for more than a store must do, asks every store that it wraps")
    func layers() throws {
        // Reading without suspension is each wrapper's own: passed on, it would bypass what the wrapper does to contents.
        let casts = #"as\? any (?!ImmediateTokenStore|TokenStoreWrapper)\w*Store\b"#
        #expect(
            try SourceFiles.places(of: casts) == ["Sources/IdentityKit/Store/Sealing/SealedTokenStore+Rekeying.swift"])
        #expect(try SourceFiles.places(of: #"func layer<"#) == ["Sources/IdentityCore/Store/TokenStoreWrapper.swift"])
    }

    @Test(
        "Pauses between attempts grow in one place, a version of a store is looked at in one, and a folder is found in one"
    )
    func types() throws {
        #expect(
            try SourceFiles.places(of: #"func result<Result>\(\s+within limit"#) == [
                "Sources/IdentityCore/Support/Backoff.swift"
            ])
        #expect(try SourceFiles.places(of: #"\bBackoff\("#).isEmpty)
        #expect(try SourceFiles.places(of: #"Backoff\.result\("#).count == 13)
        #expect(
            try SourceFiles.places(of: #"(?:struct|class|enum) \w*(?:Stamp|Sighting)\b"#) == [
                "Sources/IdentityKit/Session/VersionStamp.swift"
            ])
        #expect(
            try SourceFiles.places(of: #"(?:struct|class|enum) \w*(?:StorePlace|StoreLocation|StoreAddress)\b"#) == [
                "Sources/IdentityKit/Store/StorePlace.swift"
            ])
    }

    @Test("What a record of the current account says is decided in one place, with and without suspension")
    func lookups() throws {
        #expect(
            try SourceFiles.places(of: #"\.withoutSession =="#)
                == ["Sources/IdentityKit/Session/SessionRecords+CurrentAccount.swift"])
    }

    @Test("Commands that count the records of a store tell their progress by the same code")
    func counting() throws {
        #expect(
            try SourceFiles.places(of: #"showsProgress \{ terminal\.note"#)
                == ["Sources/IdentityTool/Store/StoreCommand.swift"])
    }

    @Test("The launcher prints a token by the code of the whole tool")
    func tokenFormats() throws {
        let header = #""Authorization: \\\("#
        let printing = ["Sources/IdentityStoreFormat/", "Sources/identity-launcher/", "Sources/IdentityTool/"]
        #expect(
            try SourceFiles.places(of: header).filter { path in printing.contains { path.hasPrefix($0) } }
                == ["Sources/IdentityStoreFormat/TokenDocument.swift"])
    }

    @Test("A device is named by the protocol's methods and by the outermost calls; all else takes a context")
    func deviceToken() throws {
        let conformances = #"func (?:activeAccount|requestAuthorization)\([^)]*deviceToken: String"#
        #expect(try SourceFiles.places(of: conformances).count > 10, "the sources are found")
        let others = #"(?:func (?!activeAccount|requestAuthorization)\w+|init)\([^)]*deviceToken: String"#
        let asking = "Sources/IdentityCore/Chain/IdentityProviderChain+Asking.swift"
        #expect(
            try SourceFiles.places(of: others) == [
                "Sources/IdentityCore/AccountProvider.swift", "Sources/IdentityCore/AccountProvider.swift",
                "Sources/IdentityCore/Chain/CallerContext.swift", asking, asking, asking,
                "Sources/IdentityCore/IdentityProvider+Token.swift",
            ])
    }
}
