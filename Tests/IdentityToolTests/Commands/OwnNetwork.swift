import Foundation
import IdentityKit

/// A network namespace for the commands of one test that name ports: nobody else has a port there.
enum OwnNetwork {
    /// Whether this system lets a test make one.
    static func isPossible() async -> Bool {
        guard Program.exists("unshare") else { return false }
        let (program, words) = command(running: "exit 0", in: "/bin/sh")
        let result = try? await ToolProcess.Run(words, of: URL(fileURLWithPath: program)).finish()
        return result?.status == 0
    }

    /// What runs a command in a new one.
    static func command(running line: String, in shell: String) -> (program: String, words: [String]) {
        let start = "PATH=$PATH:/usr/sbin:/sbin ip link set lo up && exec \"$0\" -c \"$1\""
        // Whoever is not root may be it in a namespace of users.
        return ("/usr/bin/unshare", [getuid() == 0 ? "-n" : "-rn", "/bin/sh", "-c", start, shell, line])
    }

    /// Whether nothing on this machine listens at a port.
    static func isFree(_ port: Int) async -> Bool {
        let visit = try? await ToolProcess.shell("exec 3<>/dev/tcp/127.0.0.1/\(port)")
        return visit?.status != 0
    }
}
