import Foundation
import Testing

/// The functions on the way from `IdentityClient.accessToken` to the transport, as CONTRIBUTING.md lists them.
@Suite("The way of a refresh")
struct RefreshPathTests {
    private struct Step {
        let file: String
        let name: String
        /// The code of every function of the file that has the name.
        let bodies: [String]
        /// Whether the function runs a closure, so that the next call may stand where the closure is made.
        var runsClosure: Bool { bodies.contains { $0.contains(/\b(work|body)\b/.wordBoundaryKind(.simple)) } }

        /// - Parameter file: a path in `Sources`.
        init(_ file: String, _ name: String) throws {
            (self.file, self.name) = (file, name)
            let declaration = try Regex("^( *)[^/\\n]*\\bfunc \(name)[<(]").anchorsMatchLineEndings()
            let source = try Documents.text(of: "Sources/\(file)")
            bodies = source.matches(of: declaration).map { match in
                let code = source[match.range.upperBound...]
                // Formatted code ends a function by a brace below its first letter, or on its only line.
                let indentation = match.output[1].substring ?? ""
                let isOneLine = code.prefix { $0 != "\n" }.hasSuffix("}")
                let end = code.range(of: isOneLine ? "\n" : "\n\(indentation)}")?.lowerBound ?? code.endIndex
                return String(code[..<end])
            }
        }

        func calls(_ next: String) throws -> Bool {
            let call = try Regex("\\b\(next)[(<]").wordBoundaryKind(.simple)
            return bodies.contains { $0.contains(call) }
        }
    }

    private static func steps() throws -> [Step] {
        let text = try Documents.text(of: "CONTRIBUTING.md")
        let table = text.components(separatedBy: "| File in `Sources` | Functions |").dropFirst().first ?? ""
        return try table.components(separatedBy: "\n").prefix { $0.isEmpty || $0.hasPrefix("|") }.flatMap { row in
            let words = row.matches(of: /`([^`]+)`/).map { String($0.1) }
            return try words.dropFirst().map { try Step(words[0], $0) }
        }
    }

    @Test("Every function of the list calls the next one, from the client to the transport")
    func way() throws {
        let steps = try Self.steps()
        #expect(steps.first?.name == "accessToken")
        try Self.follow(steps, to: "data")
    }

    private static func follow(_ steps: [Step], to last: String) throws {
        var callers: [Step] = []
        for (step, next) in zip(steps, steps.dropFirst().map(\.name) + [last]) {
            callers = step.runsClosure ? callers + [step] : [step]
            #expect(try callers.contains { try $0.calls(next) }, "\(step.name) in \(step.file) does not call \(next)")
        }
    }

    @Test("On the way of a sign-in three functions are called so: of the state, of the client and of the provider")
    func signIn() throws {
        let steps = try [
            ("IdentityKit/Client/IdentityState.swift", "signIn"),
            ("IdentityKit/Client/IdentityClient+SignIn.swift", "signIn"),
            ("IdentityKit/Client/IdentityClient.swift", "adopt"),
            ("IdentityCore/Chain/IdentityProviderChain+Asking.swift", "activeLookup"),
            ("IdentityCore/Chain/IdentityProviderChain+Asking.swift", "show"),
            ("IdentityCore/Chain/IdentityProviderChain+Asking.swift", "askAndChoose"),
            ("IdentityCore/Chain/ChainResolver.swift", "walkInteractively"),
            ("IdentityCore/Chain/ChainResolver.swift", "ask"), ("IdentityCore/Chain/ChainResolver.swift", "outcome"),
            ("IdentityCore/Chain/Inquiry.swift", "answer"),
            ("IdentityOAuth/Provider/OAuthSessionProvider.swift", "signIn"),
        ].map(Step.init)
        try Self.follow(steps, to: "beginSession")
        #expect(steps.count { $0.name == "signIn" } == 3)
    }

    @Test("The list is as long as the sentence above it says")
    func length() throws {
        let steps = try Self.steps()
        let sentence = "\(steps.count) functions in \(Set(steps.map(\.file)).count) files lie on the way"
        #expect(try Documents.text(of: "CONTRIBUTING.md").contains(sentence), "\(sentence)")
    }
}
