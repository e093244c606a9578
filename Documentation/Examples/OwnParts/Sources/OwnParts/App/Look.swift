import Foundation
import IdentityKit

/// The shop's own look of a sign-in, drawn as text from the plain screen.
public struct Look: Sendable {
    private let texts: ScreenTexts
    private let time: TimeSource

    public init(languages: [String], time: TimeSource = .system) {
        let german = ScreenTexts.german.replacing([.signIn: "Im Laden anmelden"], words: ["Lantern": "Laterne"])
        let dutch = ScreenTexts(language: "nl", texts: [.signIn: "Inloggen", .cancel: "Stoppen"])
        texts = ScreenTexts.best(for: languages, among: [.english, german, dutch])
        self.time = time
    }

    /// Draws each new screen, until the stream ends. The last line is what a screen reader says.
    public func draw(_ engine: SignInEngine, on client: IdentityClient, _ show: ([String]) -> Void) async {
        async let following: Void = engine.follow(client)
        for await screen in await engine.screens() { show(lines(of: screen)) }
        await following
    }

    public func lines(of screen: SignInScreen) -> [String] {
        let rows = screen.offering(["lantern"]).rows(texts, at: time.now)
        return rows.map { line($0, on: screen) } + [rows.announcement.map { "(\($0))" }].compactMap(\.self)
    }

    private func line(_ row: SignInRow, on screen: SignInScreen) -> String {
        switch row {
        case .title(let text): "# \(text)"
        case .text(let text): text
        case .problem(let text): "! \(text)"
        case .picture(_, let description): "[\(description ?? "")]"
        case .link(let text, let url): "\(text) <\(url)>"
        case .copy(let text, let label): "\(label ?? ""): \(text.reveal())"
        case .field(let field, let label, let value, let problem):
            "\(screen.focus == field.identifier ? ">" : " ") \(label): "
                + (field.kind.isSecret ? (value == nil ? "" : "***") : value?.reveal() ?? field.placeholder ?? "")
                + (problem.map { " (\($0))" } ?? "")
        case .code(let code): "\(code.userCode) at \(code.verificationURI)"
        case .button(let button): line(button)
        case .progress(let text): "… \(text)"
        }
    }

    private func line(_ button: SignInRow.Button) -> String {
        let vendor = button.isPasskey ? "key " : button.vendor.map { "\($0) " } ?? ""
        let label = "\(vendor)\(button.label)\(button.host.map { " at \($0)" } ?? "")"
        guard button.isEnabled else { return "(\(label))" }
        return button.rank == .primary ? "[[\(label)]]" : "[\(label)]"
    }

    /// Enters the answers, and presses the most important button: a person with keys and fingers.
    public func fill(_ engine: SignInEngine, with answers: [String: Secret]) async {
        for (field, text) in answers { await engine.enter(text, in: field) }
        let screen = await engine.screen
        let buttons = screen.rows(texts, at: time.now).compactMap {
            if case .button(let button) = $0 { button } else { nil }
        }
        guard let first = buttons.first(where: { $0.rank == .primary && $0.isEnabled }) else { return }
        await engine.perform(first.action)
    }
}
