import Foundation
import Testing

/// What makes printed commands do what the text around them says, and the proof that they do.
struct CommandScenario: Sendable, CustomTestStringConvertible {
    /// What a machine may lack.
    enum Need: Sendable, Hashable {
        /// A program of this name.
        case program(String)
        /// ``StandInHosts``.
        case hosts
        /// A PostgreSQL server, and a tool with the store for it.
        case postgres
    }

    /// The commands exactly as they are printed. All of them have to be run.
    let lines: [String]
    let needs: Set<Need>
    /// Runs the commands on a stage of their own and checks what they leave behind.
    let body: @Sendable (CommandStage) async throws -> Void

    /// - Parameter lines: one command in each line; one that a backslash continues goes on in the next.
    init(
        _ lines: String, needs: Set<Need> = [], _ body: @escaping @Sendable (CommandStage) async throws -> Void
    ) {
        self.lines = lines.replacing("\\\n", with: "\u{0}").split(separator: "\n")
            .map { String($0).replacing("\u{0}", with: "\\\n") }
        (self.needs, self.body) = (needs, body)
    }

    var testDescription: String { lines.joined(separator: "; ") }

    static let all: [CommandScenario] =
        setup + signIn + account + token + agents + insight + store + fleetStore + development + message
}

extension CommandScenario.Need {
    /// Whether this machine has it.
    func isMet() async -> Bool {
        switch self {
        case .program(let name): Program.exists(name)
        case .hosts: await StandInHosts.arePossible()
        case .postgres:
            #if PostgreSQL
            true
            #else
            false
            #endif
        }
    }
}
