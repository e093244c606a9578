import Foundation
import Testing

/// The page about releases and the workflows agree on what is fixed, and by what.
@Suite struct ReleasingTests {
    private static let workflows = [".github/workflows/checks.yml", ".github/workflows/release.yml"]

    private static func lines(of path: String) throws -> [String] {
        try Documents.text(of: path).split(separator: "\n").map(String.init)
    }

    @Test("Actions are named by commits, and images by digests or on the page with the way to them")
    func actionsAndImages() throws {
        let page = try Documents.text(of: "Documentation/RELEASING.md")
        for path in Self.workflows {
            let words = try Self.lines(of: path).map { $0.drop { " -".contains($0) } }
            let actions = words.filter { $0.hasPrefix("uses: ") && !$0.contains("./") }
            #expect(!actions.isEmpty && actions.allSatisfy { $0.contains(/@[0-9a-f]{40} # v[0-9.]+$/) }, "\(path)")
            for image in words.filter({ $0.hasPrefix("image: ") }).map({ $0.dropFirst("image: ".count) }) {
                let isNamed = page.contains("`\(image)`") && page.contains("docker buildx imagetools inspect")
                #expect(image.contains(/@sha256:[0-9a-f]{64}$/) || isNamed, "\(path): \(image)")
            }
        }
    }

    @Test("Python packages are named by their hashes")
    func pythonPackages() throws {
        let folder = Documents.root.appendingPathComponent(".ci")
        let files = (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix("requirements.txt") }
        #expect(!files.isEmpty)
        for file in files {
            // A backslash continues a line.
            let text = try Documents.text(of: ".ci/" + file).replacing(/\\\n */, with: " ")
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(line.contains(/^\S+==\S+ .*--hash=sha256:[0-9a-f]{64}/), "\(file): \(line)")
            }
        }
    }

    @Test("The job that mounts file systems may, no other; the hosted Mac is a step that nobody has run yet")
    func rightsAndSteps() throws {
        let text = try Self.workflows.map(Documents.text).joined()
        #expect(text.components(separatedBy: "--cap-add SYS_ADMIN").count == 2)
        let page = try Documents.text(of: "Documentation/RELEASING.md")
        let step = page.components(separatedBy: "\n2. ").dropFirst().first?.components(separatedBy: "\n3. ").first
        #expect(step?.contains("`.ci/mac` passes on a Mac") == true && step?.contains("hosted") == true)
        #expect(step?.contains("**Not yet run**") == true)
    }
}
