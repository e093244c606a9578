import Foundation

/// Addresses that are not public, by the registries of RFC 6890: those of this machine, of a local network or of an
/// Internet provider's own network (RFC 6598), multicast addresses, reserved addresses, and IPv4 addresses for
/// benchmarks. Addresses for documentation (RFC 5737, RFC 3849) count as public.
enum PrivateAddress {
    /// Whether a socket address, in the form of the system's `sockaddr`, is private. A truncated address counts as
    /// private, and so does one of a family other than IPv4 and IPv6.
    static func contains(_ address: UnsafeRawBufferPointer, family: Int32) -> Bool {
        switch family {
        case AF_INET where address.count >= 8: contains(ipv4: number(address[4..<8]))
        case AF_INET6 where address.count >= 24: contains(ipv6: [UInt8](address[8..<24]))
        default: true
        }
    }

    /// Whether any address of a host, given by name or address, is private; `false` when the name does not resolve.
    static func isFound(for host: String) async -> Bool {
        await withCheckedContinuation { continuation in
            // The system's resolver blocks the thread that calls it, so do not call it on a thread of Swift's concurrency.
            DispatchQueue.global().async { continuation.resume(returning: isFoundNow(for: host)) }
        }
    }

    private static func isFoundNow(for host: String) -> Bool {
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(ProxyVariables.bare(host), nil, nil, &first) == 0 else { return false }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: { $0?.pointee.ai_next }).contains { entry in
            guard let entry = entry?.pointee, let address = entry.ai_addr else { return false }
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
            return contains(bytes, family: entry.ai_family)
        }
    }

    private static let ipv4Networks: [(network: UInt32, length: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    private static func contains(ipv4 address: UInt32) -> Bool {
        ipv4Networks.contains { (address ^ $0.network) >> (32 - $0.length) == 0 }
    }

    /// Whether an IPv6 address is private or stands for a private IPv4 address. IPv4 addresses are recognized in
    /// mapped and compatible addresses (RFC 4291 section 2.5.5), and in those of NAT64 (RFC 6052) and 6to4 (RFC
    /// 3056).
    private static func contains(ipv6 bytes: [UInt8]) -> Bool {
        let isFirstEmpty = bytes.prefix(10).allSatisfy { $0 == 0 }
        switch (bytes[0], bytes[1]) {
        case (0, 0) where isFirstEmpty && [[0, 0], [0xFF, 0xFF]].contains([UInt8](bytes[10..<12])):
            return contains(ipv4: number(bytes[12...]))
        case (0, 0x64) where bytes[2..<12].elementsEqual([0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]):
            return contains(ipv4: number(bytes[12...]))
        case (0x20, 0x02): return contains(ipv4: number(bytes[2..<6]))
        // Only addresses that begin with the bits 001 are assigned as global unicast addresses (RFC 3587 section 3).
        default: return bytes[0] >> 5 != 1
        }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
