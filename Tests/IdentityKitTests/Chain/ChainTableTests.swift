import Foundation
import IdentityLocalServers
import TestSupport
import Testing

@testable import IdentityCore
@testable import IdentityKit

/// Every combination of what three providers can do, what is chosen, and who asks and leaves: what must come out is
/// computed from the rules alone.
@Suite(.endsInTime) struct ChainTableTests {
    enum Behaviour: String, CaseIterable, Sendable {
        case absent, ended, account, failure, hang, cancel

        var answer: ScriptedProvider.Answer {
            switch self {
            case .absent: .absent(.neverSignedIn)
            case .ended: .absent(.sessionEnded("It was revoked."))
            case .account: .account("ada")
            case .failure: .failure(TestError())
            case .hang: .hang
            case .cancel: .failure(CancellationError())
            }
        }
    }

    enum Choice: String, CaseIterable, Sendable { case none, first, second, third }

    enum Expected: Equatable {
        case nobody, account(String), ended(String), failed(at: String), cancelled
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let behaviours: [Behaviour]
        let choice: Choice

        var testDescription: String {
            behaviours.map(\.rawValue).joined(separator: ",") + " chosen: \(choice.rawValue)"
        }

        /// What the rules say: nil goes on, a throw stops, too slow is a failure, the chosen one is asked first, its
        /// absence starts the walk at the top, and the end of its session is the answer.
        var expected: Expected {
            if let index = ChainFixture.names.firstIndex(of: choice.rawValue) {
                let (behaviour, name) = (behaviours[index], ChainFixture.names[index])
                if behaviour == .ended { return .ended(name) }
                if let verdict = verdict(behaviour, name) { return verdict }
            }
            for (behaviour, name) in zip(behaviours, ChainFixture.names) {
                if let verdict = verdict(behaviour, name) { return verdict }
            }
            return .nobody
        }

        private func verdict(_ behaviour: Behaviour, _ name: String) -> Expected? {
            switch behaviour {
            case .absent, .ended: nil
            case .account: .account(name)
            case .failure, .hang: .failed(at: name)
            case .cancel: .cancelled
            }
        }

        static var all: [Row] {
            Behaviour.allCases.flatMap { first in
                Behaviour.allCases.flatMap { second in
                    Behaviour.allCases.flatMap { third in
                        Choice.allCases.map { Row(behaviours: [first, second, third], choice: $0) }
                    }
                }
            }
        }
    }

    private func fixture(_ row: Row) async throws -> ChainFixture {
        let fixture = ChainFixture(row.behaviours.map(\.answer))
        if row.choice != .none { try await fixture.choose(.ada(row.choice.rawValue)) }
        return fixture
    }

    private func outcome(_ look: () async throws -> AccountLookup) async -> Expected {
        do {
            switch try await look() {
            case .found(let account), .suspended(let account, _): return .account(account.realm)
            case .absent(.activeSessionEnded(let account, _)): return .ended(account.realm)
            case .absent: return .nobody
            case .fallback: return .failed(at: "a chain that must not fall back")
            }
        } catch let error as ChainError {
            return .failed(at: error.stoppedAt ?? "")
        } catch {
            return error is CancellationError ? .cancelled : .failed(at: "\(error)")
        }
    }

    private func look(at fixture: ChainFixture, _ chain: IdentityProviderChain) async -> Expected {
        await fixture.passingDeadlines {
            await self.outcome { try await chain.silentAccount(scopes: [], deviceToken: "d") }
        }
    }

    @Test("One caller gets what the rules say, and the choice is kept accordingly", arguments: Row.all)
    func alone(row: Row) async throws {
        let fixture = try await fixture(row)
        let chain = try fixture.chain()
        #expect(await look(at: fixture, chain) == row.expected)
        let selection = try await fixture.selection()
        switch row.expected {
        case .account(let name), .ended(let name): #expect(selection == .ada(name))
        case .nobody: #expect(selection == nil)
        case .failed, .cancelled:
            // A failing provider keeps its account; an absent one lost it before the walk failed.
            let isStale = ChainFixture.names.firstIndex(of: row.choice.rawValue).map { row.behaviours[$0] } == .absent
            #expect(selection?.realm == (row.choice == .none || isStale ? nil : row.choice.rawValue))
        }
    }

    @Test("C7: Sixty-four callers get what one would get, from one walk at a time", arguments: Row.all)
    func together(row: Row) async throws {
        let fixture = try await fixture(row)
        let chain = try fixture.chain()
        let outcomes = await fixture.passingDeadlines {
            await withTaskGroup(of: Expected.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        await self.outcome { try await chain.silentAccount(scopes: [], deviceToken: "d") }
                    }
                }
                return await group.reduce(into: [Expected]()) { $0.append($1) }
            }
        }
        // Whoever comes after a stale choice was forgotten meets the walk, not the choice.
        #expect(outcomes.count == 64)
        #expect(outcomes.allSatisfy { $0 == row.expected })
    }

    @Test(
        "A caller who leaves while a provider is being asked takes nobody along",
        arguments: 0..<3, [Choice.none, .first, .second, .third])
    func leaving(point: Int, choice: Choice) async throws {
        var behaviours = [Behaviour.absent, .absent, .absent]
        behaviours[point] = .hang
        let row = Row(behaviours: behaviours, choice: choice)
        let fixture = try await fixture(row)
        let chain = try fixture.chain()
        let look: @Sendable () async -> Expected = {
            await self.outcome { try await chain.silentAccount(scopes: [], deviceToken: "d") }
        }
        let (leaver, stayer) = (Task { await look() }, Task { await look() })
        let lookup = Inquiry(CallerContext(scopes: [], deviceToken: "d"))
        while chain.lookups.waiterCount(for: lookup) < 2 || !fixture.providers[point].isHanging { await Task.yield() }
        leaver.cancel()
        #expect(await leaver.value == .cancelled)
        fixture.providers[point].setSilent(.account("ada"))
        let outcome = await fixture.passingDeadlines { await stayer.value }
        #expect(outcome == .failed(at: ChainFixture.names[point]))
        // Neither the cancellation nor the failure is remembered.
        #expect(await look() == .account(ChainFixture.names[point]))
    }

    @Test("When the last caller leaves, the walk is cancelled, and the next one starts afresh", arguments: 0..<3)
    func abandoned(point: Int) async throws {
        var behaviours = [Behaviour.absent, .absent, .absent]
        behaviours[point] = .hang
        let fixture = try await fixture(Row(behaviours: behaviours, choice: .none))
        let chain = try fixture.chain()
        let callers = (0..<8).map { _ in
            Task { await self.outcome { try await chain.silentAccount(scopes: [], deviceToken: "d") } }
        }
        while fixture.clock.sleeperCount == 0 { await Task.yield() }
        for caller in callers { caller.cancel() }
        for caller in callers { #expect(await caller.value == .cancelled) }
        // The deadline's sleeper goes away with the walk.
        while fixture.clock.sleeperCount > 0 { await Task.yield() }
        fixture.providers[point].setSilent(.account("ada"))
        #expect(try await chain.silentAccount(scopes: [], deviceToken: "d").account == .ada(ChainFixture.names[point]))
    }

    @Test("A nested chain answers as the flat one does", arguments: Row.all)
    func nested(row: Row) async throws {
        let flat = try await fixture(row)
        let flatOutcome = try await look(at: flat, flat.chain())
        for split in 0...2 {
            let nested = try await fixture(row)
            var links = nested.links
            let inner = try IdentityProviderChain(
                Array(links[split...]), time: nested.clock.timeSource)
            links.replaceSubrange(split..., with: [.init("inner", inner)])
            let nestedOutcome = try await look(at: nested, nested.chain(links))
            #expect(nestedOutcome.withoutPlace == flatOutcome.withoutPlace)
            #expect(try await nested.selection() == flat.selection())
        }
    }
}

extension ChainTableTests.Expected {
    /// A failure inside a nested chain is reported at that chain, with the place in its own error.
    fileprivate var withoutPlace: Self {
        if case .failed = self { .failed(at: "") } else { self }
    }
}
