import Foundation
import Testing

/// Every defect of the list has a test with its number in its name.
@Suite struct DefectListTests {
    @Test("Each of the 46 defects has its test")
    func complete() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let numbers = text.matches(of: #/"Defect (\d+):/#).compactMap { Int($0.output.1) }
        #expect(numbers.sorted() == Array(1...46))
    }
}
