import Foundation
import IdentityStoreFormat

/// The proxy variables of the environment, as libcurl reads them.
///
/// Except on Apple's systems, `URLSession` uses libcurl, which takes the proxy of every transfer from the environment
/// and ignores `connectionProxyDictionary`. A request to this machine would then leave it without TLS, so the transport
/// checks the variables first.
///
/// Versions of libcurl read `no_proxy` differently. An exception is honored only if all versions since 7.68 understand
/// it.
package struct ProxyVariables: Sendable {
    let value: @Sendable (String) -> String?
    /// The version of libcurl, such as `libcurl/7.88.1`; `nil` when it is unknown.
    let curlVersion: String?

    /// The variables of this process, read at every use, as libcurl does.
    static let ofThisProcess = ProxyVariables(
        value: { ProcessVariables.value(of: $0) }, curlVersion: curlVersionOfThisProcess)

    private static var curlVersionOfThisProcess: String? {
        #if canImport(CIdentityCurl)
        CurlTransport.version
        #else
        nil
        #endif
    }

    /// The variable that would send a request to this machine to a proxy; `nil` when there is none, or `url` is another
    /// machine's.
    func diverting(_ url: URL) -> String? {
        guard Self.isForThisMachine(url), let host = url.host.map(Self.bare), let scheme = url.scheme?.lowercased(),
            let variable = proxyVariable(for: scheme), !isExcepted(host)
        else { return nil }
        return variable
    }

    /// Whether the host of `url` is this machine, in any notation of its address.
    package static func isForThisMachine(_ url: URL) -> Bool {
        url.host.map { isThisMachine(bare($0)) } ?? false
    }

    /// Whether a variable names a proxy for the scheme of `url`, exceptions aside.
    func mayDivert(_ url: URL) -> Bool { proxyVariable(for: url.scheme?.lowercased() ?? "") != nil }

    /// The first variable that names a proxy. `HTTP_PROXY` is ignored, because in a CGI program a header of the request
    /// sets it.
    private func proxyVariable(for scheme: String) -> String? {
        let own = scheme + "_proxy"
        let names = [own] + (own == "http_proxy" ? [] : [own.uppercased()]) + ["all_proxy", "ALL_PROXY"]
        return names.first { text($0) != nil }
    }

    private func isExcepted(_ host: String) -> Bool {
        guard let list = text("no_proxy") ?? text("NO_PROXY") else { return false }
        // An asterisk means all hosts only when it stands alone.
        if list == "*" { return true }
        return list.split(separator: ",").contains { isException($0.trimmingCharacters(in: [" "]).lowercased(), host) }
    }

    private func isException(_ entry: String, _ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") {
            let domain = entry.hasPrefix(".") ? String(entry.dropFirst()) : entry
            return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
        }
        return host == "::1" ? entry == host : isAddress(entry, host)
    }

    /// Whether `entry` is the address `host`, or a network that contains it, such as `127.0.0.0/8`. Other notations of
    /// an address do not count, because some versions of libcurl compare text.
    private func isAddress(_ entry: String, _ host: String) -> Bool {
        guard let address = Self.dottedAddress(host) else { return false }
        if entry == host { return true }
        let parts = entry.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard knowsNetworks, parts.count == 2, let network = Self.dottedAddress(parts[0]),
            let length = UInt32(parts[1]), 1...32 ~= length, String(length) == parts[1]
        else { return false }
        return (network ^ address) >> (32 - length) == 0
    }

    private var knowsNetworks: Bool {
        let version = (curlVersion?.split(separator: " ").first?.split(separator: "/").last ?? "").split(separator: ".")
        guard let major = version.first.flatMap({ Int($0) }), let minor = version.dropFirst().first.flatMap({ Int($0) })
        else { return false }
        return (major, minor) >= (7, 87)
    }

    /// The text of a variable; `nil` when it is empty.
    private func text(_ name: String) -> String? {
        value(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A host in lower case, without the brackets of an IPv6 address.
    static func bare(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// The number of an IPv4 address in its canonical spelling.
    private static func dottedAddress(_ text: String) -> UInt32? {
        let octets = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        guard octets.count == 4, octets.map(String.init).joined(separator: ".") == text else { return nil }
        return octets.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func isThisMachine(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        var short = in_addr()
        if inet_aton(name, &short) != 0 { return isThisMachine(UInt32(bigEndian: short.s_addr)) }
        var long = in6_addr()
        guard inet_pton(AF_INET6, String(name.prefix { $0 != "%" }), &long) == 1 else { return false }
        let bytes = withUnsafeBytes(of: &long) { [UInt8]($0) }
        // The unspecified and the loopback address, and IPv4 addresses in IPv6 (RFC 4291 sections 2.5.2, 2.5.3 and 2.5.5).
        guard bytes.prefix(10).allSatisfy({ $0 == 0 }), [[0, 0], [0xFF, 0xFF]].contains([UInt8](bytes[10..<12])) else {
            return false
        }
        let last = bytes[12...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return last == 1 || isThisMachine(last)
    }

    /// The loopback network, and the unspecified address (RFC 1122 section 3.2.1.3).
    private static func isThisMachine(_ address: UInt32) -> Bool {
        address >> 24 == 127 || address == 0
    }
}
