import Foundation
import IdentityKit
import Testing

/// Hosts of the documentation, such as `id.example.com`, for the commands of one test: they lead to servers of this machine,
/// over TLS that the commands trust.
///
/// The commands run in a mount namespace of their own, in which the system's list of certificate authorities is another one.
final class StandInHosts: Sendable {
    private let folder: URL
    private let run: ToolProcess.Run
    private let port: Int
    private let lifeline: PseudoTerminal

    private init(folder: URL, run: ToolProcess.Run, port: Int, lifeline: PseudoTerminal) {
        (self.folder, self.run, self.port, self.lifeline) = (folder, run, port, lifeline)
    }

    deinit { run.send(SIGTERM) }

    private static let authorities = "/etc/ssl/certs/ca-certificates.crt"

    /// Whether this system lets a test do that.
    static func arePossible() async -> Bool {
        guard Program.exists("python3"), Program.exists("openssl"), Program.exists("unshare"),
            FileManager.default.fileExists(atPath: authorities)
        else { return false }
        return await StoreMount.isPossible()
    }

    /// - Parameter places: the address of each host, and what answers there.
    static func start(_ places: [String: URL], in folder: URL) async throws -> StandInHosts {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = DocumentedTool.root.appendingPathComponent("Tests/StandInHosts/stand_in_hosts.py")
        let words = places.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.absoluteString)" }
        // It ends with its standard input.
        let lifeline = try PseudoTerminal()
        let run = try ToolProcess.Run(
            ["python3", script.path, folder.path] + words, of: URL(fileURLWithPath: "/usr/bin/env"), at: lifeline)
        let port = try #require(Int(await run.firstLine.value.trimmingCharacters(in: .newlines)), "\(lifeline.text)")
        return StandInHosts(folder: folder, run: run, port: port, lifeline: lifeline)
    }

    var environment: [String: String] {
        ["https_proxy": "http://127.0.0.1:\(port)", "no_proxy": "localhost,127.0.0.1,::1"]
    }

    /// The hosts that were asked for, in their order.
    var asked: [String] {
        let text = try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    /// What runs a command with the other list of authorities.
    func command(running line: String, in shell: String) -> (program: String, words: [String]) {
        let mount = "mount --bind '\(folder.path)/ca.pem' \(Self.authorities) && exec \"$0\" -c \"$1\""
        return ("/usr/bin/unshare", [getuid() == 0 ? "-m" : "-rm", "/bin/sh", "-c", mount, shell, line])
    }
}
