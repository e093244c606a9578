import Foundation
import IdentityKit
import Testing

@testable import IdentityTerminal

/// Texts as they reach a terminal.
@Suite struct TerminalTextTests {
    private static let foreign = "a\u{1B}[31mb\rc\u{202E}"
    private static let shown = #"a\u{1B}[31mb\u{D}c\u{202E}"#

    @Test("Styles and line ends reach a terminal, and no control character of a name does", arguments: [true, false])
    func foreign(allowsColour: Bool) throws {
        let (output, errors) = (Locked(Data()), Locked(Data()))
        let terminal = Terminal(
            output: TerminalOutput(isTerminal: true, columns: 80) { bytes in output.withLock { $0 += bytes } },
            errors: TerminalOutput(isTerminal: true, columns: 80) { bytes in errors.withLock { $0 += bytes } },
            environment: allowsColour ? [:] : ["NO_COLOR": "1"])
        let (begin, end) = allowsColour ? ("\u{1B}[1m", "\u{1B}[0m") : ("", "")
        try terminal.line("\(Self.foreign) \(terminal.styled(Self.foreign, .bold))\n\tnext")
        terminal.note("\(Self.foreign) \(terminal.noteStyled(Self.foreign, .bold))")
        terminal.ask(Self.foreign)
        terminal.rewrite(Self.foreign)
        let text = "\(Self.shown) \(begin)\(Self.shown)\(end)"
        #expect(String(decoding: output.withLock { $0 }, as: UTF8.self) == "\(text)\n\tnext\n")
        #expect(String(decoding: errors.withLock { $0 }, as: UTF8.self) == "\(text)\n\(Self.shown)\r\(Self.shown)")
    }
}
