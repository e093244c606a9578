import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityStoreFormat
import TestSupport
import Testing

/// Many launchers that need a token that has to be refreshed.
@Suite struct LauncherTurnTests {
    /// Notes each start of the whole tool, and starts it.
    private static let noted = #"echo start >>"$folder/starts"; exec -a identity "$tool" "$@""#

    private func starts(of installed: InstalledTool) throws -> Int {
        let file = installed.fixture.folder.appendingPathComponent("starts")
        guard FileManager.default.fileExists(atPath: file.path) else { return 0 }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count
    }

    /// The results of many launchers at once.
    private func crowd(
        of count: Int, _ installed: InstalledTool, _ arguments: [String] = ["token"]
    ) async throws -> [ToolProcess.Result] {
        try await withThrowingTaskGroup(of: ToolProcess.Result.self) { group in
            for _ in 0..<count { group.addTask { try await installed.run(arguments) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func age(_ installed: InstalledTool, issued: Double, expires: Double) async throws {
        let now = Date().timeIntervalSinceReferenceDate
        try await installed.changeSession { credential in
            credential["issuedAt"] = .number(now + issued)
            credential["expiresAt"] = .number(now + expires)
        }
    }

    @Test("One of them starts the tool, and the others print what it has stored", arguments: [[], ["--json"]])
    func once(arguments: [String]) async throws {
        try await withReadyLauncher { installed async throws in
            try installed.replaceTool(by: Self.noted)
            try await age(installed, issued: -7200, expires: -3600)
            let results = try await crowd(of: 12, installed, ["token"] + arguments)
            #expect(results.allSatisfy { $0.status == 0 && $0.errors.isEmpty })
            #expect(Set(results.map(\.output)).count == 1)
            #expect(try starts(of: installed) == 1)
        }
    }

    @Test("A token that is still valid is printed while another process refreshes it")
    func valid() async throws {
        try await withReadyLauncher { installed async throws in
            try await age(installed, issued: -2800, expires: 800)
            let lock = try HeldFileLock(installed.shortcut())
            #expect(try await installed.alone("token").status == 0)
            lock.release()
            #expect(try await installed.isSilent("token"))
        }
    }

    @Test("When the tool that was started dies, each of the others starts its own")
    func dies() async throws {
        try await withReadyLauncher { installed async throws in
            try installed.replaceTool(by: #"mkdir "$folder/first" 2>/dev/null && kill -KILL $$; "# + Self.noted)
            try await age(installed, issued: -7200, expires: -3600)
            let results = try await crowd(of: 6, installed)
            #expect(results.count { $0.status == 0 } == 5)
            #expect(Set(results.map(\.output).filter { !$0.isEmpty }).count == 1)
        }
    }

    @Test("A tool that does not end is not waited for longer than some seconds", .endsInTime)
    func stands() async throws {
        try await withReadyLauncher { installed async throws in
            try await age(installed, issued: -7200, expires: -3600)
            let lock = try HeldFileLock(installed.shortcut())
            #expect(try await installed.run("token").status == 0)
            lock.release()
        }
    }

    @Test("A tool that fails is not started again by those who wait, one after the other")
    func fails() async throws {
        try await withReadyLauncher { installed async throws in
            try installed.replaceTool(by: #"echo start >>"$folder/starts"; echo refused >&2; exit 5"#)
            try await age(installed, issued: -7200, expires: -3600)
            let results = try await crowd(of: 6, installed)
            #expect(results.allSatisfy { $0.status == 5 && $0.errors == "refused\n" })
            #expect(try starts(of: installed) == 6)
        }
    }

    @Test("The lock does not take the place of a stream that is closed")
    func closedStream() async throws {
        try await withReadyLauncher { installed async throws in
            try await age(installed, issued: -7200, expires: -3600)
            let closed = try await installed.shell("$0 token >&-")
            let direct = try await installed.shell("$0 token >&-", wholeTool: true)
            #expect(closed.status == direct.status && closed.errors == direct.errors && closed.status != 0)
        }
    }
}

/// A lock on a file, as the tool that refreshes has it.
private final class HeldFileLock: Sendable {
    private let descriptor: Locked<Int32>

    init(_ file: URL) throws {
        let opened = open(file.path, O_RDONLY | O_CLOEXEC)
        try #require(opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) == 0)
        descriptor = Locked(opened)
    }

    deinit { release() }

    func release() {
        let descriptor = descriptor.exchange(-1)
        if descriptor >= 0 { close(descriptor) }
    }
}
