import Foundation
import IdentityKit
import TestSupport
import Testing

/// Every command line that is printed anywhere is run as it is printed, and does what the text around it says.
@Suite(.endsInTime) struct PrintedCommandTests {
    @Test("Every printed command has a scenario, or is run elsewhere")
    func covered() async throws {
        let covered = Set(CommandScenario.all.flatMap(\.lines)).union(CommandElsewhere.all.map(\.line))
        let printed = try await PrintedCommand.all()
        for command in printed {
            #expect(covered.contains(command.line), "\(command.place) prints what nothing runs:\n\(command.line)")
        }
        for line in covered.subtracting(printed.map(\.line)).sorted() {
            Issue.record("Nothing prints this any more: \(line)")
        }
        #expect(printed.count > 150)
    }

    @Test("It does what the text around it says", arguments: CommandScenario.all)
    func runs(scenario: CommandScenario) async throws {
        for need in scenario.needs where await !need.isMet() { return }
        try await withTool { fixture in
            let stage = try CommandStage(fixture)
            try await scenario.body(stage)
            for line in scenario.lines {
                #expect(stage.commands.contains(line), "The scenario does not run \(line)")
            }
        }
    }

    @Test("A command that is run elsewhere is", arguments: CommandElsewhere.all)
    func elsewhere(command: CommandElsewhere) throws {
        let file = DocumentedTool.root.appendingPathComponent(command.file)
        #expect(try String(contentsOf: file, encoding: .utf8).contains(command.text), "\(command.file)")
    }

    @Test("In CI no scenario is left out", .enabled(if: ProcessInfo.processInfo.environment["CI"] == "true"))
    func complete() async throws {
        for need in Set(CommandScenario.all.flatMap(\.needs)) where need != .postgres {
            let isMet = await need.isMet()
            #expect(isMet, "\(need)")
        }
    }
}
