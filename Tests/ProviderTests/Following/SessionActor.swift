import Foundation
import IdentityKit
import TestSupport
import Testing

/// Acts on the sessions of a store with two backends.
protocol SessionActor: Sendable {
    func signIn(_ person: TwoBackends.Person) async throws
    func signOut() async throws
    func erase(_ account: AccountID) async throws
    /// Finds out that the server has ended the session of the active account.
    func findEnd() async throws
}

/// A client of this process, with a store of its own.
struct ClientActor: SessionActor {
    private let scene: TwoBackends
    private let client: IdentityClient

    init(in scene: TwoBackends) throws { (self.scene, client) = (scene, try scene.client()) }

    func signIn(_ person: TwoBackends.Person) async throws { try await scene.signIn(person, with: client) }

    func signOut() async throws { try await client.signOut() }

    func erase(_ account: AccountID) async throws { try await client.eraseAccount(account) }

    func findEnd() async throws {
        scene.clock.advance(by: .seconds(3600))
        // Asked twice, as after any refusal.
        _ = try? await client.accessToken()
        await #expect(throws: SessionError.self) { try await client.accessToken() }
    }

    /// The access token of the active account.
    func token() async throws -> String { try await client.accessToken() }
}

/// The tool, each act a process.
struct ToolActor: SessionActor {
    private let scene: TwoBackends
    private let configuration: URL

    init(in scene: TwoBackends) throws {
        (self.scene, configuration) = (scene, scene.folder.file("identity.json"))
        try JSONEncoder().encode(scene.configuration()).write(to: configuration)
        scene.catchUp()
    }

    func signIn(_ person: TwoBackends.Person) async throws {
        let printed = try await run(
            "login", "--provider", person.account.realm, "--username", person.name, "--password-stdin",
            input: person.password + "\n")
        #expect(printed == person.account.id)
    }

    func signOut() async throws { _ = try await run("logout") }

    func erase(_ account: AccountID) async throws { _ = try await run("erase", "--yes", account.id) }

    func findEnd() async throws { _ = try await run("token", "--fresh", status: 3) }

    /// Runs a command to its end.
    /// - Returns: the line that it prints.
    private func run(_ arguments: String..., input: String = "", status expected: Int32 = 0) async throws -> String {
        let (process, unread, printed) = (Process(), Pipe(), Pipe())
        process.executableURL = BuiltProgram.url("identity")
        process.arguments = arguments + ["--config", configuration.path]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "XDG_STATE_HOME": scene.folder.file("state").path, "XDG_CACHE_HOME": scene.folder.file("cache").path,
            ]
        ) { $1 }.merging(NoBrowser.variables) { $1 }
        (process.standardInput, process.standardOutput) = (unread, printed)
        process.standardError = FileHandle.nullDevice
        let (ends, end) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        scene.catchUp()
        try process.run()
        unread.fileHandleForWriting.write(Data(input.utf8))
        try unread.fileHandleForWriting.close()
        var status: Int32?
        for await number in ends { status = number }
        // The test's time is up.
        if status == nil { process.terminate() }
        scene.catchUp()
        #expect(status == expected, "\(arguments)")
        let line = String(decoding: printed.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return line.trimmingCharacters(in: .newlines)
    }
}
