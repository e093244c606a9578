import Foundation
import IdentityStoreFormat

/// The proxy variables of the environment, as libcurl reads them.
///
/// libcurl takes the proxy of every transfer from the environment. `CurlTransport` uses libcurl, and so does `URLSession`
/// on Linux, where it ignores `connectionProxyDictionary`. A plain `http` request to this machine could go to a proxy
/// on another machine, unencrypted, so the transports check the variables first.
///
/// Versions of libcurl read `no_proxy` differently. An exception for a network, such as `127.0.0.0/8`, counts only if
/// the version is known to be 7.87 or later. Any other exception counts only if all versions since 7.68 understand it.
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

    /// Returns the variable that would send a request for `url` to a proxy although the host is this machine. `nil`
    /// when no variable does so, when `no_proxy` excepts the host, or when the host is another machine.
    func diverting(_ url: URL) -> String? {
        guard Self.isForThisMachine(url), let host = url.host.map(Self.bare), let scheme = url.scheme?.lowercased(),
            let variable = proxyVariable(for: scheme), !isExcepted(host)
        else { return nil }
        return variable
    }

    /// Whether the host of `url` is a loopback name, a loopback address or the unspecified address, in any notation.
    package static func isForThisMachine(_ url: URL) -> Bool {
        url.host.map { isThisMachine(bare($0)) } ?? false
    }

    /// Whether a variable names a proxy for the scheme of `url`, regardless of `no_proxy`.
    func mayDivert(_ url: URL) -> Bool { proxyVariable(for: url.scheme?.lowercased() ?? "") != nil }

    /// Returns the first variable that names a proxy for `scheme`, in libcurl's order. `HTTP_PROXY` is ignored,
    /// because in a CGI program the header field `Proxy` of a request sets it.
    private func proxyVariable(for scheme: String) -> String? {
        let own = scheme + "_proxy"
        let names = [own] + (own == "http_proxy" ? [] : [own.uppercased()]) + ["all_proxy", "ALL_PROXY"]
        return names.first { text($0) != nil }
    }

    private func isExcepted(_ host: String) -> Bool {
        guard let list = text("no_proxy") ?? text("NO_PROXY") else { return false }
        // An asterisk means all hosts only when it is the whole list.
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

    /// Whether `entry` is the address `host`, or a network that contains it, such as `127.0.0.0/8`, if the version of
    /// libcurl understands networks. Other notations of an address do not count, because some versions of libcurl
    /// compare text.
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

    /// Returns the text of a variable; `nil` when it is unset or empty.
    private func text(_ name: String) -> String? {
        value(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A host in lower case, without the brackets of an IPv6 address.
    static func bare(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Returns an IPv4 address as a number; `nil` unless `text` is the canonical dotted form.
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
        // Go on only for the unspecified and the loopback address, and for IPv4 addresses in IPv6 (RFC 4291 sections
        // 2.5.2, 2.5.3 and 2.5.5).
        guard bytes.prefix(10).allSatisfy({ $0 == 0 }), [[0, 0], [0xFF, 0xFF]].contains([UInt8](bytes[10..<12])) else {
            return false
        }
        let last = bytes[12...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return last == 1 || isThisMachine(last)
    }

    /// Whether an IPv4 address is in the loopback network, or is the unspecified address (RFC 1122 section 3.2.1.3).
    private static func isThisMachine(_ address: UInt32) -> Bool {
        address >> 24 == 127 || address == 0
    }
}
