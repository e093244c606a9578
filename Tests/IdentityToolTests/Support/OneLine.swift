import Foundation
import Testing

/// Expects a run that came to nothing: one line on standard error, nothing on standard output.
func expectOneLine(
    _ result: ToolProcess.Result, status: Int32, of command: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.status == status, "\(command): \(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output.isEmpty, "\(command)", sourceLocation: sourceLocation)
    #expect(
        result.errors.hasPrefix("identity: ") && result.errors.split(separator: "\n").count == 1,
        "\(command): \(result.errors)", sourceLocation: sourceLocation)
}

extension String {
    /// How often `text` is in it.
    func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
