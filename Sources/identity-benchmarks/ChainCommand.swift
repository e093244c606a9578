import ArgumentParser
import IdentityKit

/// `identity-benchmarks chain`
struct ChainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chain", abstract: "A cached token, from its provider and through a chain of four.")

    func run() async throws {
        let account = AccountID(account: "ada", realm: "work")
        let direct: any IdentityProvider = StaticTokenProvider(token: "token", account: account)
        let others = ["one", "two", "three"].map { name in
            IdentityProviderChain.Link(
                name, StaticTokenProvider(token: "other", account: AccountID(account: "ada", realm: name)))
        }
        let chain = try IdentityProviderChain(others + [.init("work", direct)])
        let nested = try IdentityProviderChain([.init("inner", chain)])
        let costs = try await Stopwatch(rounds: 200, calls: 5000).best(of: [direct, chain, nested]) { provider in
            _ = try await provider.accessToken(for: account, scopes: [])
        }
        print("A cached token, the last of four providers")
        print("  from the provider itself     \(costs[0].nanoseconds)")
        print("  through a chain              \(costs[1].nanoseconds)")
        print("  through a chain in a chain   \(costs[2].nanoseconds)")
        print("  what one chain adds          \((costs[1] - costs[0]).nanoseconds)")
    }
}

extension Stopwatch {
    /// What an asynchronous call costs on each subject, as ``best(_:)`` measures it.
    fileprivate func best<Subject>(of subjects: [Subject], _ body: (Subject) async throws -> Void) async throws
        -> [Duration]
    {
        var best = [Duration](repeating: .seconds(3600), count: subjects.count)
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            for (index, subject) in subjects.enumerated() {
                let turn = try await clock.measure {
                    for _ in 0..<calls { try await body(subject) }
                }
                best[index] = min(best[index], turn / calls)
            }
        }
        return best
    }
}

extension Duration {
    /// Such as `43 ns`.
    fileprivate var nanoseconds: String { "\(Int(self / .nanoseconds(1))) ns" }
}
