import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Somebody's home, working folder and programs, in which printed commands are run as they are printed.
final class CommandStage: Sendable {
    let fixture: ToolFixture
    /// `~`
    let home: URL
    /// The working folder.
    let work: URL
    /// The first folder of `PATH`. `identity` in it is the built tool.
    private let programs: URL
    private let ran = Locked<[String]>([])
    private let hosts = Locked<StandInHosts?>(nil)

    init(_ fixture: ToolFixture) throws {
        self.fixture = fixture
        home = fixture.folder.appendingPathComponent("home")
        work = home.appendingPathComponent("work")
        programs = fixture.folder.appendingPathComponent("bin")
        for folder in [work, programs] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let tool = programs.appendingPathComponent("identity")
        try FileManager.default.createSymbolicLink(at: tool, withDestinationURL: ToolProcess.executable)
        try browser()
    }

    /// The commands that were run so far.
    var commands: Set<String> { Set(ran.withLock { $0 }) }

    private var environment: [String: String] {
        var environment = fixture.environment
        environment["HOME"] = home.path
        environment["PATH"] = programs.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        environment["BROWSER"] = "a-browser"
        environment["COLUMNS"] = "80"
        return environment.merging(hosts.withLock { $0?.environment } ?? [:]) { $1 }
    }

    // MARK: What is there before

    /// A program on `PATH`: a script for `/bin/sh`.
    func program(_ name: String, _ script: String) throws {
        try Script.write("#!/bin/sh\n\(script)\n", to: programs.appendingPathComponent(name))
    }

    /// A browser that only notes what it is to open.
    private func browser() throws {
        try program("a-browser", "echo \"$1\" >>\(home.path)/opened")
    }

    /// A file in the working folder.
    @discardableResult
    func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> URL {
        let file = work.appendingPathComponent(name)
        guard mode & 0o100 == 0 else {
            try Script.write(text, to: file)
            return file
        }
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file
    }

    /// What is in a file of the working folder, or of the home when it begins with `~`.
    func text(of name: String) throws -> String {
        let file =
            name.hasPrefix("~/")
            ? home.appendingPathComponent(String(name.dropFirst(2))) : work.appendingPathComponent(name)
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    /// Whether there is a file.
    func hasFile(_ name: String) -> Bool { (try? text(of: name)) != nil }

    /// Nothing is configured.
    func forgetConfiguration() throws { try FileManager.default.removeItem(at: fixture.configurationFile) }

    /// The fixture's configuration as `identity.json` in the working folder.
    func configurationInFolder() throws {
        try FileManager.default.copyItem(
            at: fixture.configurationFile, to: work.appendingPathComponent("identity.json"))
    }

    /// Lets hosts of the documentation lead to servers of this machine.
    func host(_ places: [String: URL]) async throws {
        let started = try await StandInHosts.start(places, in: fixture.folder.appendingPathComponent("hosts"))
        hosts.withLock { $0 = started }
    }

    /// The hosts that were asked for.
    var askedHosts: [String] { hosts.withLock { $0?.asked ?? [] } }

    // MARK: Running

    /// Runs a printed command to its end.
    /// - Parameters:
    ///   - first: what the same shell has done before.
    ///   - rest: what the same shell does after it has succeeded.
    ///   - shell: a shell that the command is for, when not every one will do.
    ///   - variables: variables of its environment.
    @discardableResult
    func run(
        _ line: String, after first: String? = nil, then rest: String? = nil, shell: String = "/bin/sh",
        variables: [String: String] = [:]
    ) async throws -> ToolProcess.Result {
        ran.withLock { $0.append(line) }
        if first == nil, rest == nil, shell == "/bin/sh", let result = try await call(line, variables) { return result }
        let script = [first, line + (rest.map { " &&\n" + $0 } ?? "")].compactMap(\.self).joined(separator: "\n")
        return await (try process(script, shell: shell, variables: variables)).finish()
    }

    /// Runs something that is not printed, in the same place.
    func prepare(_ line: String, variables: [String: String] = [:]) async throws -> ToolProcess.Result {
        if let result = try await call(line, variables) { return result }
        return await (try process(line, variables: variables)).finish()
    }

    /// Runs a command of the tool in this process; `nil` for a line that needs a shell, a program, or other hosts.
    private func call(_ line: String, _ variables: [String: String]) async throws -> ToolProcess.Result? {
        // A proxy is taken from the variables of the process.
        guard hosts.withLock({ $0 }) == nil, !variables.keys.contains(where: { $0.lowercased().hasSuffix("_proxy") }),
            let words = line.wholeMatch(of: /identity(?<words>( [A-Za-z0-9.,:\/=@_+%-]+)*)/)?.words
        else { return nil }
        return try await Tool.run(
            words.split(separator: " ").map(String.init), environment: environment.merging(variables) { $1 }, in: work)
    }

    /// Runs a printed command that goes on until Ctrl-C, which comes once its output contains `text`.
    /// - Parameter ports: the ports that the command names. It has them in a network of its own; where the system allows none,
    ///   it takes those of this machine, and the test ends here when one of them is not free.
    func runUntil(
        _ text: String, is line: String, at ports: [Int] = []
    ) async throws -> ToolProcess.Result {
        ran.withLock { $0.append(line) }
        let isApart = ports.isEmpty ? false : await OwnNetwork.isPossible()
        let run = try process(line, isApart: isApart)
        await run.waits(for: text)
        run.interruptAll()
        let result = await run.finish()
        for port in ports where !isApart && result.status == 1 && result.errors.contains("\(port)") {
            guard await OwnNetwork.isFree(port) else {
                try Test.cancel("Another program has port \(port), and this system allows no network of its own")
            }
        }
        #expect(result.status == 0, "\(result)")
        return result
    }

    /// Starts a printed command.
    /// - Parameter showsOutput: whether the output is at the terminal as well.
    func start(
        _ line: String, at terminal: PseudoTerminal? = nil, showsOutput: Bool = false
    ) throws -> ToolProcess.Run {
        ran.withLock { $0.append(line) }
        return try process(line, at: terminal, showsOutput: showsOutput)
    }

    private func process(
        _ script: String, shell: String = "/bin/sh", variables: [String: String] = [:],
        at terminal: PseudoTerminal? = nil, showsOutput: Bool = false, isApart: Bool = false
    ) throws -> ToolProcess.Run {
        // As a terminal's shell does, the one here outlives Ctrl-C, and ends with the status of the command.
        let script = "trap : INT\n" + script
        let other: (program: String, words: [String])? =
            isApart
            ? OwnNetwork.command(running: script, in: shell)
            : hosts.withLock { $0 }?.command(running: script, in: shell)
        let (program, words) = other ?? (shell, ["-c", script])
        return try ToolProcess.Run(
            words, environment: environment.merging(variables) { $1 }, of: URL(fileURLWithPath: program), in: work,
            at: terminal, showsOutput: showsOutput)
    }

    /// Runs a printed command at a terminal, and answers its questions in their order.
    func run(
        _ line: String, answering answers: [(question: String, answer: String)]
    ) async throws -> (result: ToolProcess.Result, shown: String) {
        let terminal = try PseudoTerminal()
        let run = try start(line, at: terminal)
        for (question, answer) in answers { await terminal.answers(question, with: answer) }
        return (await run.finish(), terminal.text)
    }

    /// Finds a command in a message and runs it.
    /// - Parameter pattern: the command as it is written in the source, in which `\(…)` stands for what differs.
    @discardableResult
    func runAdvice(
        _ pattern: String, in message: String, answering answers: [(question: String, answer: String)] = []
    ) async throws -> ToolProcess.Result {
        var expression = NSRegularExpression.escapedPattern(for: pattern)
        expression.replace(/\\\\\\\([^)]*\\\)/, with: "[^\\n]+?")
        let place = try #require(
            message.range(of: "(?<=\\s|^)" + expression + "(?=\\.?(\\n|$|\\r))", options: .regularExpression),
            "\(message)")
        let line = String(message[place])
        ran.withLock { $0.append(pattern) }
        return answers.isEmpty ? try await run(line) : try await run(line, answering: answers).result
    }

    /// Runs a printed command that signs in in the browser, and is the person there.
    /// - Parameters:
    ///   - answers: what is asked before the browser opens.
    ///   - places: where the addresses of ``host(_:)`` lead for the browser.
    func signInInBrowser(
        _ line: String, answering answers: [(question: String, answer: String)] = [],
        at places: [String: URL] = [:], variables: [String: String] = [:]
    ) async throws -> (result: ToolProcess.Result, shown: String) {
        let terminal = try PseudoTerminal()
        ran.withLock { $0.append(line) }
        let run = try process(line, variables: variables, at: terminal)
        for (question, answer) in answers { await terminal.answers(question, with: answer) }
        await terminal.waits(for: "scope=")
        await terminal.waits(for: "\n")
        let words = terminal.text.split(whereSeparator: \.isWhitespace).map(String.init)
        var page = try #require(words.last { $0.hasPrefix("http") && $0.contains("scope=") }, "\(terminal.text)")
        for (host, url) in places.sorted(by: { $0.key.count > $1.key.count }) {
            page.replace(host, with: url.absoluteString)
            page.replace(Self.encoded(host), with: Self.encoded(url.absoluteString))
        }
        let user = fixture.openIDConnect.user
        let address = try #require(URL(string: page))
        let callback = try await ScriptedLogin(username: user.username, password: user.password).signIn(at: address)
        _ = try await DefaultTransport.make().data(for: URLRequest(url: callback))
        return (await run.finish(), terminal.text)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~")))
            ?? text
    }
}
