import Foundation
import IdentityKit
import IdentityTesting
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

    @Test("The last line of a body ends at a terminal, and elsewhere a body is as it came", arguments: [true, false])
    func bodies(isTerminal: Bool) throws {
        let output = Locked(Data())
        let stream = TerminalOutput(isTerminal: isTerminal, columns: 80) { bytes in output.withLock { $0 += bytes } }
        let terminal = Terminal(output: stream, errors: stream, environment: [:])
        for (body, shown) in [("{}", isTerminal ? "{}\n" : "{}"), ("a\n", "a\n"), ("", "")] {
            try terminal.bytes(Data(body.utf8))
            #expect(String(decoding: output.exchange(Data()), as: UTF8.self) == shown)
        }
    }

    @Test(
        "A picture that is wider than the terminal is left out, and the code stays",
        arguments: [(30, false), (36, false), (80, true), (nil, true)] as [(Int?, Bool)])
    func picture(columns: Int?, fits: Bool) async throws {
        let output = Locked(Data())
        let stream = TerminalOutput(isTerminal: true, columns: columns) { bytes in output.withLock { $0 += bytes } }
        let clock = ManualClock()
        let presenter = TerminalDeviceCodePresenter(
            terminal: Terminal(output: stream, errors: stream, environment: [:]), timeout: nil, time: clock.timeSource)
        let page = try #require(URL(string: "https://id.example.com/device"))
        let complete = try #require(URL(string: "https://id.example.com/device?user_code=WDJB-MJHT"))
        try await presenter.show(
            DeviceCode(
                userCode: "WDJB-MJHT", verificationURI: page, verificationURIComplete: complete,
                expiresAt: clock.now + 600))
        await presenter.stop()
        let shown = String(decoding: output.withLock { $0 }, as: UTF8.self)
        #expect(shown.contains("▀") == fits && shown.contains("or scan this") == fits && shown.contains("WDJB-MJHT"))
    }
}
