import ArgumentParser
import Foundation
import IdentityKit

/// Internal options with which `identity exec --token-file` starts the process that renews the token's file.
struct KeeperOptions: ParsableArguments {
    @Option(name: .customLong("keep-for"), help: .hidden)
    var process: Int32?

    @Option(name: .customLong("keep-in"), help: .hidden)
    var folder: String?
}

extension ExecCommand {
    /// Runs the command with the path of a token file in its environment. Usually the command replaces this process, and
    /// another process renews the token in the file. In a program that uses the tool as a library, the command runs as a child
    /// process, and a task of the program renews the token.
    func runWithFile(in call: ToolCall) async throws {
        let variable = variable ?? ""
        let file = try TokenFile(for: call)
        do {
            let keeper = try await ToolSession.run(place, as: acting.named(in: call), in: call) {
                [scopes, idToken] session in
                let account = try await AccessToken.current(in: session, scopes: scopes).account
                let keeper = TokenKeeper(file: file, account: account, scopes: Set(scopes), audience: idToken)
                try await keeper.write(session)
                return keeper
            }
            let program = ExecutedProgram(
                words: command, account: keeper.account, variable: variable, token: Secret(file.path))
            if let replace = call.process.replace {
                try call.process.startBeside?(words(for: keeper, in: call))
                throw try replace(program)
            }
            let status = try await run(program, beside: keeper, in: call)
            file.remove()
            if status != .success { throw status.code }
        } catch {
            file.remove()
            throw error
        }
    }

    /// Runs the command as a child process, while a task renews the token file.
    private func run(_ program: ExecutedProgram, beside keeper: TokenKeeper, in call: ToolCall) async throws
        -> ExitStatus
    {
        let keeping = Task { [place, acting] in
            try await ToolSession.run(place, as: acting.named(in: call), in: call) {
                try await keeper.keep($0) { true }
            }
        }
        let result = await Result {
            try await call.process.interrupting { try await program.run(in: call.context) }
        }
        keeping.cancel()
        _ = await keeping.result
        return try result.get()
    }

    /// Returns the command line of the process that renews the file. A separate process is necessary, because the command
    /// replaces the current one.
    private func words(for keeper: TokenKeeper, in call: ToolCall) -> [String] {
        var words = [
            "exec", "--keep-for", "\(getpid())", "--keep-in", keeper.file.folder, "--account=\(keeper.account.id)",
        ]
        words += scopes.map { "--scope=\($0)" }
        if let idToken { words += ["--token-file", "--variable=_", "--id-token=\(idToken)"] }
        if let file = place.file { words.append("--config=\(file)") }
        if let profile = place.profile { words.append("--profile=\(profile)") }
        return words
    }

    /// Renews the token in the file until the process with the identifier `process`, which started this process, has ended.
    /// Then removes the file.
    /// - Throws: `ValidationError` if the options are not those with which the tool starts this process, `CancellationError`,
    ///   or what opening the configuration and the store throws.
    func keep(for process: Int32, in call: ToolCall) async throws {
        guard let folder = keeper.folder, TokenFile.isOne(folder),
            let account = acting.account.flatMap(AccountID.init(id:))
        else {
            throw ValidationError("--keep-for is for the tool itself.")
        }
        let file = TokenFile(in: folder)
        defer { file.remove() }
        let keeper = TokenKeeper(file: file, account: account, scopes: Set(scopes), audience: idToken)
        try await ToolSession.run(place, as: acting.named(in: call), in: call) {
            try await keeper.keep($0) { getppid() == process }
        }
    }
}
