import OwnParts
import Synchronization

/// A person at a terminal: Ada, who mistypes her password twice.
final class Script: Sendable {
    private let state = Mutex((shown: [String](), passwords: ["short", "a wrong one", "Enchantress-1"]))

    var shown: [String] { state.withLock { $0.shown } }

    var terminal: Terminal {
        Terminal(show: { line in self.state.withLock { $0.shown.append(line) } }) { question, isSecret in
            if isSecret { return self.state.withLock { $0.passwords.isEmpty ? nil : $0.passwords.removeFirst() } }
            return question.hasPrefix("Which way") ? "Sign in" : "ada"
        }
    }
}
