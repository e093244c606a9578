#if PostgreSQL
import Foundation
import IdentityKit

/// The hosts that a database address lists. Connecting tries them in turn. Each of several hosts has a time limit of its own,
/// because libpq would spend the whole time on the first. Also records the newest timeline that was seen of each database
/// cluster, to recognize a server that was replaced (see ``Origin``).
final class PostgresHosts: Sendable {
    /// A host to connect to: a host name, the path of a socket, or an IP address, which may come with the host name that
    /// the server's certificate must contain.
    struct Host: Sendable, Equatable {
        var name: String?
        var address: String?
        var port: String?
        let position: Int

        /// The name to look up; `nil` when libpq needs no lookup.
        var unresolved: String? {
            guard address == nil, let name, !name.isEmpty, !name.hasPrefix("/"), !name.hasPrefix("@") else {
                return nil
            }
            return name
        }

        /// libpq's keywords for this host; the value is `nil` for a keyword that is left out.
        var keywords: [(keyword: String, value: String?)] {
            [("host", name), ("hostaddr", address), ("port", port)]
        }

        func at(_ address: String) -> Host { Host(name: name, address: address, port: port, position: position) }
    }

    /// The identifier of a database cluster, which a primary shares with its standbys, and the timeline of one server.
    /// The timeline rises when a standby becomes the primary.
    struct Origin: Sendable, Equatable {
        let system: Int64
        let timeline: Int64
    }

    private struct State: Sendable {
        var first = 0
        /// The address with which to begin among the addresses of a name; `nil` for the resolver's order.
        var firstAddress: String?
        /// The newest timeline seen of each database cluster, by the cluster's identifier.
        var timelines: [Int64: Int64] = [:]
    }

    private let hosts: [Host]
    /// The time limit for each host, from `connect_timeout`; `nil` for the default: 2 seconds if there are several hosts
    /// or IP addresses, otherwise none.
    private let timeout: Duration?
    private let names: HostNames
    private let state = Locked(State())

    /// Reads libpq's keywords `host`, `hostaddr`, `port` and `connect_timeout`.
    /// - Parameters:
    ///   - options: libpq's keywords with their values.
    ///   - resolver: returns the addresses of a host name, and none for an unknown name; by default asks the system.
    init(
        _ options: [String: String], resolver: @escaping @Sendable (String) -> [String] = HostNames.systemAddresses
    ) {
        self.names = HostNames(resolver: resolver)
        func list(_ keyword: String) -> [String] {
            options[keyword]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }
        let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(names.count, addresses.count, 1)
        hosts = (0..<count).map { index in
            func element(_ list: [String]) -> String? { index < list.count ? list[index] : nil }
            let address = element(addresses)
            return Host(
                name: element(names), address: address == "" ? nil : address,
                port: ports.count == 1 ? ports[0] : element(ports), position: index)
        }
        // Zero and less mean no limit in libpq. Use 300 seconds, the longest `deadline` of a configuration.
        timeout = options["connect_timeout"].flatMap { Int($0) }.map { .seconds($0 > 0 ? $0 : 300) }
    }

    /// Tries the hosts until one is connected, beginning with the host and the address of the last successful connection. If
    /// `deadline` passes before every host was tried, the next call begins with the following host, or else with the following
    /// address of a name.
    /// - Parameter connect: connects to a host, by the given instant at the latest.
    /// - Throws: ``PostgresError/interrupted`` or a refusal that other hosts would repeat, both without trying more hosts. If
    ///   no attempt succeeds by `deadline`, the error of the last attempt. ``PostgresError/timedOut`` if `deadline` passed
    ///   before the first attempt.
    func connect(
        until deadline: ContinuousClock.Instant,
        _ connect: (Host, ContinuousClock.Instant) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        let (first, firstAddress) = state.withLock { ($0.first, $0.firstAddress) }
        var queue = Array(hosts[first...] + hosts[..<first])
        var isOnly = queue.count == 1
        var last = PostgresError.timedOut
        var tried: Int?
        while !queue.isEmpty, ContinuousClock.now < deadline {
            let host = queue.removeFirst()
            tried = host.position
            let longest = timeout ?? (isOnly ? nil : .seconds(2))
            let end = longest.map { min(deadline, .now + $0) } ?? deadline
            do throws(PostgresError) {
                if let name = host.unresolved {
                    let addresses = try names.addresses(of: name, until: end)
                    isOnly = isOnly && addresses.count == 1
                    let start = addresses.firstIndex { $0 == firstAddress } ?? 0
                    queue.insert(contentsOf: (addresses[start...] + addresses[..<start]).map(host.at), at: 0)
                    continue
                }
                try connect(host, end)
                return state.withLock { ($0.first, $0.firstAddress) = (host.position, host.address) }
            } catch {
                // A standby may not have replicated the creation of the database yet.
                let mayBeOfStandby = if case .refused("3D000", _) = error { !queue.isEmpty } else { false }
                guard error.passes || mayBeOfStandby else { throw error }
                last = error
            }
        }
        // Begin the next call with the next host, or with the next address of a name. Otherwise one that does not respond
        // could use up the whole time of each call, and those after it would never be tried.
        if tried != nil, let next = queue.first(where: { $0.position != tried }) ?? queue.first {
            state.withLock { state in
                guard state.first == first, state.firstAddress == firstAddress else { return }
                (state.first, state.firstAddress) = (next.position, next.address)
            }
        }
        throw last
    }

    /// Records the timeline of a server, and returns whether the server may be used. It may not if a newer timeline of the
    /// same database cluster was recorded before, because another server was promoted in its place.
    func admit(_ origin: Origin) -> Bool {
        state.withLock { state in
            let newest = max(state.timelines[origin.system] ?? 0, origin.timeline)
            state.timelines[origin.system] = newest
            return origin.timeline == newest
        }
    }
}

/// Looks up host names on separate threads, because the system's resolver has no deadline.
private final class HostNames: Sendable {
    private let resolver: @Sendable (String) -> [String]
    private final class LookUp: Sendable {
        let addresses = Locked<[String]>([])
        let isOver = DispatchSemaphore(value: 0)
    }

    private let running = Locked<[String: LookUp]>([:])

    init(resolver: @escaping @Sendable (String) -> [String]) { self.resolver = resolver }

    func addresses(
        of name: String, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> [String] {
        let lookUp = running.withLock { running in
            if let lookUp = running[name] { return lookUp }
            let lookUp = LookUp()
            running[name] = lookUp
            Thread.detachNewThread { [self] in
                let found = resolver(name)
                lookUp.addresses.withLock { $0 = found }
                self.running.withLock { $0[name] = nil }
                lookUp.isOver.signal()
            }
            return lookUp
        }
        let left = ContinuousClock.now.duration(to: deadline) / .seconds(1)
        guard lookUp.isOver.wait(timeout: .now() + max(left, 0)) == .success else {
            throw .unreachable("the name \(name) was not looked up in time")
        }
        // A signal wakes only one thread: wake the next thread that waits for this name.
        lookUp.isOver.signal()
        let found = lookUp.addresses.withLock { $0 }
        guard !found.isEmpty else { throw .unreachable("the name \(name) is unknown") }
        return found
    }

    static func systemAddresses(of name: String) -> [String] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
            guard let entry else { break }
            var text = [CChar](repeating: 0, count: 64)
            let length = socklen_t(text.count)
            guard
                getnameinfo(
                    entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            // The resolver lists each address several times: once for each type of socket.
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }
}
#endif
