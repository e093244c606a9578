#if PostgreSQL
import Foundation
import Testing

/// Machines of a network on this one: network namespaces that are joined by a bridge, with this machine at ``address``.
///
/// What listens at a port of this machine's loopback address is found at the same port of theirs, whatever happens to the
/// network. They end with this process. Needs root, and Debian's iproute2 and socat.
final class Machines: Sendable {
    /// This machine, as the others see it.
    let address: String
    /// The names of the namespaces.
    let names: [String]
    private let id: String
    private let setUp: SetUp

    /// The program that has made the network and takes it away when its standard input ends.
    private struct SetUp: @unchecked Sendable {
        // Unchecked is sound: nothing is changed after the start, and one caller ends it.
        let process = Process()
        let input = Pipe()
    }

    static let areAvailable =
        getuid() == 0
        && ["/usr/sbin/ip", "/usr/bin/socat"].allSatisfy(FileManager.default.isExecutableFile(atPath:))

    /// - Parameters:
    ///   - count: how many.
    ///   - port: the port of the loopback address that is the same for all of them.
    init(_ count: Int, sharing port: Int) throws {
        id = String(UInt32.random(in: 0x1000...0xFFFFF), radix: 16)
        let network = "10.\(Int.random(in: 64..<128)).\(Int.random(in: 0..<256))"
        let id = id
        address = "\(network).1"
        names = (1...count).map { "identity-\(id)-\($0)" }
        let script = """
            set -e
            sockets=$(mktemp -d)
            clean() {
                exec 2>/dev/null
                kill -KILL $(jobs -p) || true
                for i in $(seq \(count)); do ip netns del identity-\(id)-$i || true; done
                ip link del idb\(id) || true
                rm -rf $sockets
            }
            trap clean EXIT
            ip link add idb\(id) type bridge
            ip addr add \(network).1/24 dev idb\(id)
            ip link set idb\(id) up
            socat UNIX-LISTEN:$sockets/shared,fork TCP:127.0.0.1:\(port) >&2 &
            until [ -S $sockets/shared ]; do sleep 0.02; done
            for i in $(seq \(count)); do
                name=identity-\(id)-$i
                ip netns add $name
                ip link add idv\(id)$i type veth peer name eth0 netns $name
                ip link set idv\(id)$i master idb\(id) up
                ip -n $name addr add \(network).$((i + 9))/24 dev eth0
                ip -n $name link set eth0 up
                ip -n $name link set lo up
                ip netns exec $name socat TCP-LISTEN:\(port),bind=127.0.0.1,fork,reuseaddr \\
                    UNIX-CONNECT:$sockets/shared >&2 &
                until ip netns exec $name bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(port)' 2>/dev/null; do sleep 0.02; done
            done
            echo ready
            read line || true
            """
        setUp = SetUp()
        let output = Pipe()
        setUp.process.executableURL = URL(fileURLWithPath: "/bin/bash")
        setUp.process.arguments = ["-c", script]
        (setUp.process.standardInput, setUp.process.standardOutput) = (setUp.input, output)
        try setUp.process.run()
        try #require(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "ready\n")
    }

    deinit {
        try? setUp.input.fileHandleForWriting.close()
        setUp.process.waitUntilExit()
    }

    /// From now on what a machine sends is lost, and what is sent to it. Nobody is told.
    func cut(_ number: Int) throws { try ip("link", "set", "idv\(id)\(number)", "nomaster") }

    /// What a machine sends arrives again.
    func join(_ number: Int) throws { try ip("link", "set", "idv\(id)\(number)", "master", "idb\(id)") }

    private func ip(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/ip")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
#endif
