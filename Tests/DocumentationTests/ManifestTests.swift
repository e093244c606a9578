import Foundation
import Testing

/// The names of products and targets, which are the same for everybody who depends on the package.
@Suite struct ManifestTests {
    /// The names that the vendors' pages give.
    private static let vendors: Set<Substring> = ["ThunderID", "ThunderIDSwiftUI", "InsForge"]

    @Test("The Swift Package Index documents every library")
    func documentedLibraries() throws {
        let listed = try Documents.text(of: ".spi.yml").matches(of: /(?m)^        - (\w+)$/).map(\.output.1)
        let libraries = try products(of: "library").map(\.name)
        #expect(listed.count == Set(listed).count)
        #expect(Set(listed) == Set(libraries))
        #expect(libraries.count <= 16, "a library more is one more to choose from")
    }

    /// Another package with a target of the same name fails the graph of an app that uses neither.
    @Test("Every target that a product reaches has our name or a vendor's")
    func targetsHaveOurNames() throws {
        let targets = try targets()
        var waiting = try products(of: "library").flatMap(\.targets)
        var reached: Set<Substring> = []
        while let name = waiting.popLast() {
            guard reached.insert(name).inserted else { continue }
            waiting += try #require(targets[name], "\(name)")
        }
        // The system library of a trait, at the end of three steps.
        #expect(reached.contains("CIdentityPostgres"))
        for name in reached.subtracting(Self.vendors) {
            #expect(name.starts(with: /(?:CI|I|i|SwiftI)dentity/), "\(name)")
        }
    }

    private func products(of kind: String) throws -> [(name: Substring, targets: [Substring])] {
        let line = try Regex<(Substring, Substring, Substring)>(
            #"\.\#(kind)\(name: "([\w-]+)", targets: \[([^\]]*)\]\)"#)
        let found = try Documents.text(of: "Package.swift").matches(of: line).map {
            (name: $0.output.1, targets: Self.names(in: $0.output.2))
        }
        try #require(!found.isEmpty)
        return found
    }

    /// The targets of this package by their names, with those that they depend on.
    private func targets() throws -> [Substring: [Substring]] {
        let manifest = try Documents.text(of: "Package.swift")
        let beginning = /\n        \.(?:target|executableTarget|systemLibrary|testTarget)\(/
        let parts = manifest.split(separator: beginning).dropFirst()
        let entries = try parts.map { part in
            let name = try #require(part.prefixMatch(of: /\s*name: "([\w-]+)"/), "\(part)").output.1
            return (name, Self.names(in: part.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.output.1 ?? ""))
        }
        return Dictionary(entries) { first, _ in first }
    }

    /// The targets in a list of dependencies, without products of other packages and the names of traits.
    private static func names(in list: Substring) -> [Substring] {
        String(list).replacing(/\.product\([^)]*|traits: \["\w+"/, with: "").matches(of: /"([\w-]+)"/).map(\.output.1)
    }
}
